/** The environment variables that Belay reads. */

export interface Variable {
  /** Markdown. */
  name: string;
  by: string;
  meaning: string;
}

export const ENVIRONMENT: readonly Variable[] = [
  { name: '`BELAY_CONFIG`', by: 'every command', meaning: 'Path of belay.yaml; `--config` goes before it' },
  {
    name: '`BELAY_ISTIOCTL`',
    by: 'worker',
    meaning: 'Path of istioctl (default: the one on the PATH), for the pre-checks and waves of a mesh',
  },
  { name: '`BELAY_LOG_LEVEL`', by: 'worker', meaning: 'trace, debug, info (default), warn, error, fatal or silent' },
  {
    name: '`BELAY_SIGNING_KEY`',
    by: 'slack',
    meaning:
      'The key with which the Slack process signs what it received from Slack, `ID:KEY`, a seed of 32 bytes or PKCS#8 of Ed25519 in base64; `belay signing-key` makes one. Its public key stands in `signing.publicKeys`. Absent: workers believe nothing that comes from Slack',
  },
  {
    name: '`BELAY_CODEC_KEYS`',
    by: 'worker, slack, CLI',
    meaning:
      'Keys that encrypt what Temporal stores, `ID:KEY[,ID:KEY…]`, each key 32 bytes in base64: the first one encrypts, all of them decrypt ([operations](operations.md#encrypt-what-temporal-stores)). Absent: nothing is encrypted',
  },
  {
    name: '`BELAY_CODEC_ALLOW_PLAIN`',
    by: 'worker, slack, CLI',
    meaning:
      '`until-YYYY-MM-DD`: with keys, plain payloads are still read until the end of that day (UTC), so that runs that began without keys go on ([operations](operations.md#encrypt-what-temporal-stores)). Absent: they are refused',
  },
  {
    name: '`BELAY_CODEC_SERVER_TOKEN`',
    by: 'codec-server',
    meaning:
      'What callers of the codec server send as `Authorization: Bearer …`; absent: only this machine may call it ([operations](operations.md#temporal-ui-with-encryption))',
  },
  {
    name: '`TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`',
    by: 'worker, slack, CLI',
    meaning: 'Go before `temporal.address` and `temporal.namespace`',
  },
  {
    name: '`TEMPORAL_API_KEY_FILE`',
    by: 'worker, slack, CLI',
    meaning:
      'File with the API key, which goes before `TEMPORAL_API_KEY`; a worker and the Slack process use a new key as soon as it is written there',
  },
  {
    name: '`BELAY_READY_FILE`',
    by: 'worker',
    meaning: 'File that is there while Temporal says that this worker polls: for readiness probes. Absent: none is written',
  },
  {
    name: '`TEMPORAL_API_KEY`, `TEMPORAL_TLS_*`',
    by: 'worker, slack, CLI',
    meaning:
      'Credentials of the Temporal server, as the `temporal` CLI reads them. Certificates that are given by path are read anew by a worker when they change',
  },
  {
    name: '`AWS_PROFILE`, `AWS_ACCESS_KEY_ID`, …',
    by: 'worker, and `plan`, `init`, `doctor`',
    meaning: "The AWS SDK's own variables, `AWS_ENDPOINT_URL` and `AWS_ENDPOINT_URL_EKS` included",
  },
  {
    name: '`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`',
    by: 'worker, and `init`, `plan`, `check`, `doctor`, `decide`',
    meaning:
      'Forward proxies to AWS, STS and the API servers of clusters, upper or lower case, as Helm reads them; never for this machine and the addresses that hand out credentials. A kubeconfig with a proxy-url goes by that. Put private API servers into `NO_PROXY`. With `NODE_USE_ENV_PROXY=1` Node sends by them as well what Belay asks by `fetch`: Prometheus, and STS about the proof of a command line',
  },
  { name: '`AWS_REGION`', by: '`init`', meaning: 'Where to look for clusters; elsewhere the region stands in belay.yaml' },
  {
    name: '`SLACK_BOT_TOKEN`',
    by: 'slack, worker, `doctor`',
    meaning: 'Bot token (xoxb-…). Without it the worker tells nobody, and groups cannot be read',
  },
  { name: '`SLACK_APP_TOKEN`', by: 'slack', meaning: 'App-level token (xapp-…): socket mode' },
  {
    name: '`SLACK_SIGNING_SECRET`',
    by: 'slack',
    meaning: 'Where there is no app token: HTTP mode, path `/slack/events`, health at `/healthz`',
  },
  { name: '`PORT`', by: 'slack', meaning: 'Port of HTTP mode; default 3000' },
  { name: '`SLACK_API_URL`', by: 'slack, worker, `doctor`', meaning: "Another address of Slack's Web API" },
  { name: '`TEMPORAL_CLI_PATH`', by: '`rehearse`, `npm test`', meaning: 'The `temporal` binary to rehearse on' },
  {
    name: '`KUBEBUILDER_ASSETS`',
    by: '`rehearse --kubernetes real`, `npm run test:real`',
    meaning: 'Folder with etcd and control planes, as for envtest; those of two minors in its subfolders `1.33` and `1.34`',
  },
];
