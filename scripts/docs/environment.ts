/** The environment variables that Belay reads. */

export interface Variable {
  /** Markdown. */
  name: string;
  by: string;
  meaning: string;
}

const ENCRYPTION = '[Encryption](../operate/encryption.md)';

export const ENVIRONMENT: readonly Variable[] = [
  { name: '`BELAY_CONFIG`', by: 'every command', meaning: 'Path of belay.yaml; `--config` takes precedence' },
  {
    name: '`KUBECONFIG`',
    by: 'check, plan, forecast, snapshot, fleet',
    meaning: 'Without belay.yaml: the kubeconfigs, merged as kubectl does; default: `~/.kube/config`',
  },
  { name: '`BELAY_ISTIOCTL`', by: 'worker', meaning: 'Path of istioctl for a mesh’s pre-checks and waves; by default on the PATH' },
  { name: '`BELAY_LOG_LEVEL`', by: 'worker, slack, codec-server', meaning: 'trace, debug, info (default), warn, error, fatal or silent' },
  {
    name: '`BELAY_SIGNING_KEY`',
    by: 'slack, worker',
    meaning:
      'Key with which the Slack process signs what it receives, and a worker the runs that a campaign starts (a key of its own): `ID:KEY`, a 32-byte seed or Ed25519 PKCS#8 in base64, from `belay signing-key`; its public key is in `signing.publicKeys`. Without it workers believe nothing from Slack',
  },
  {
    name: '`BELAY_CODEC_KEYS`',
    by: 'worker, slack, CLI',
    meaning: `Keys that encrypt what Temporal stores (${ENCRYPTION}), \`ID:KEY[,ID:KEY…]\`, each 32 bytes in base64: the first encrypts, all decrypt. Without it nothing is encrypted`,
  },
  {
    name: '`BELAY_CODEC_ALLOW_PLAIN`',
    by: 'worker, slack, CLI',
    meaning: `\`until-YYYY-MM-DD\`: with keys, plain payloads are read until the end of that day (UTC), so that runs begun without keys continue; otherwise they are refused`,
  },
  {
    name: '`BELAY_AFTER_RESTORE`',
    by: 'worker',
    meaning:
      'When Temporal’s database was restored from a backup, in UTC, such as `2026-11-26T04:30:00Z`: runs that began before ask before their next change ([Backup and restore](../operate/backup.md))',
  },
  {
    name: '`BELAY_CODEC_SERVER_TOKEN`',
    by: 'codec-server',
    meaning:
      'What its callers send as `Authorization: Bearer …` ([Temporal UI](../operate/encryption.md#temporal-ui)). Without it only this machine may call',
  },
  {
    name: '`BELAY_FLEET_TOKEN`',
    by: 'fleet --serve',
    meaning:
      'What its callers send as `Authorization: Bearer …` ([Fleet](../operate/fleet.md#a-page-that-follows)). Without it only this machine may call',
  },
  {
    name: '`TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`',
    by: 'worker, slack, CLI',
    meaning: 'Override `temporal.address` and `temporal.namespace`',
  },
  {
    name: '`TEMPORAL_API_KEY_FILE`',
    by: 'worker, slack, CLI',
    meaning: 'File with the API key, overriding `TEMPORAL_API_KEY`; worker and Slack process use a new key once written',
  },
  {
    name: '`TEMPORAL_DEPLOYMENT_NAME`, `TEMPORAL_WORKER_BUILD_ID`',
    by: 'worker, `doctor`',
    meaning:
      'Worker versioning, as Temporal’s worker controller sets them: both, or neither ([Releases](../operate/releases.md#worker-versioning))',
  },
  {
    name: '`BELAY_NETWORK`',
    by: 'worker, doctor',
    meaning:
      'Network that this machine is in, unless `--network` says another: its clusters alone are served ([Networks](../operate/networks.md)).',
  },
  {
    name: '`BELAY_READY_FILE`',
    by: 'worker',
    meaning: 'For readiness probes: file that exists while Temporal says this worker polls',
  },
  {
    name: '`BELAY_METRICS_ADDRESS`',
    by: 'worker, slack',
    meaning:
      '`host:port` of `/metrics`, `/healthz` and `/readyz` ([Metrics](../operate/metrics.md)), such as `127.0.0.1:9464`; each process needs its own. Without it no port is opened',
  },
  {
    name: '`BELAY_METRICS_RUNS`',
    by: 'worker, slack',
    meaning:
      '`yes` or `no`: whether this process shows the metrics of runs, gates and records, and writes annotations to Grafana. By default the Slack process does and workers do not',
  },
  {
    name: '`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`, `OTEL_SDK_DISABLED`, `OTEL_TRACES_EXPORTER`, `OTEL_BSP_MAX_QUEUE_SIZE`, …',
    by: 'worker, slack',
    meaning:
      'Where traces are sent ([Tracing](../operate/tracing.md)), such as `http://localhost:4318`; how much, whether, how many spans may wait; and OpenTelemetry’s other variables. Without the first nothing is traced',
  },
  {
    name: '`TEMPORAL_API_KEY`, `TEMPORAL_TLS_*`',
    by: 'worker, slack, CLI',
    meaning: 'Credentials for Temporal, as the `temporal` CLI reads them. A worker reloads certificates given by path when they change',
  },
  {
    name: '`AWS_PROFILE`, `AWS_ACCESS_KEY_ID`, …',
    by: 'worker, `plan`, `init`, `doctor`',
    meaning: "The AWS SDK's own variables, including `AWS_ENDPOINT_URL` and `AWS_ENDPOINT_URL_EKS`",
  },
  {
    name: '`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`',
    by: 'worker, `init`, `plan`, `check`, `doctor`, `decide`',
    meaning:
      'Forward proxies to AWS, STS and API servers, in either case: `http://` (also without it) or `https://`, and each name in `NO_PROXY` with its subdomains, as curl, the AWS CLI and Helm read them; never for this machine and credential endpoints. They need Node 22.21, or 24.5. A kubeconfig’s proxy-url takes precedence; put private API servers into `NO_PROXY`. `NODE_USE_ENV_PROXY=1` also covers `fetch`: Prometheus, and STS about a command line’s proof',
  },
  { name: '`AWS_REGION`', by: '`init`', meaning: 'Where to look for clusters' },
  {
    name: '`SLACK_BOT_TOKEN`',
    by: 'slack, worker, `doctor`',
    meaning: 'Bot token (xoxb-…). Where belay.yaml names a channel, the worker does not start without it',
  },
  { name: '`SLACK_APP_TOKEN`', by: 'slack', meaning: 'App-level token (xapp-…): socket mode' },
  { name: '`SLACK_SIGNING_SECRET`', by: 'slack', meaning: 'Without an app token: HTTP mode, path `/slack/events`, health at `/healthz`' },
  { name: '`PORT`', by: 'slack', meaning: 'Port of HTTP mode; default 3000' },
  { name: '`SLACK_API_URL`', by: 'slack, worker, `doctor`', meaning: "Another address of Slack's Web API" },
  { name: '`TEMPORAL_CLI_PATH`', by: '`rehearse`, `npm test`', meaning: 'The `temporal` binary to rehearse on' },
  {
    name: '`KUBEBUILDER_ASSETS`',
    by: '`rehearse --kubernetes real`, `npm run test:real`',
    meaning: 'Folder with etcd and control planes, as for envtest; for two minors, subfolders `1.33` and `1.34`',
  },
];
