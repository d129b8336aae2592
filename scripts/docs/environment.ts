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
    name: '`BELAY_CODEC_KEYS`',
    by: 'worker, slack, CLI',
    meaning:
      'Keys that encrypt what Temporal stores, `ID:KEY[,ID:KEY…]`, each key 32 bytes in base64: the first one encrypts, all of them decrypt ([operations](operations.md#encrypt-what-temporal-stores)). Absent: nothing is encrypted',
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
    name: '`TEMPORAL_API_KEY`, `TEMPORAL_TLS_*`',
    by: 'worker, slack, CLI',
    meaning: 'Credentials of the Temporal server, as the `temporal` CLI reads them',
  },
  {
    name: '`AWS_PROFILE`, `AWS_ACCESS_KEY_ID`, …',
    by: 'worker, and `plan`, `init`, `doctor`',
    meaning: "The AWS SDK's own variables, `AWS_ENDPOINT_URL` and `AWS_ENDPOINT_URL_EKS` included",
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
