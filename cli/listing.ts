/** What the help of `belay` says of each command without loading it: what it takes, and its description. A test compares with the commands. */

/** In the order of the help. */
export const LISTING = {
  check: ['[options] [cluster]', 'check whether a cluster is ready for an upgrade; reads only, needs neither Temporal nor Slack'],
  plan: ['[options] [cluster]', 'show the plan for a cluster; reads only, needs neither Temporal nor Slack'],
  forecast: [
    '[options] [cluster]',
    'forecast an upgrade by simulating its plan: how long it takes, which pods block, what goes down; needs neither Temporal nor Slack',
  ],
  snapshot: [
    '[options] [cluster]',
    'save a cluster to one file, without secrets, for rehearsals and forecasts; reads only, needs neither Temporal nor Slack',
  ],
  fleet: [
    '[options]',
    'show all clusters at a glance: versions, support dates, open runs, cost of waiting; reads only, works without Temporal too',
  ],
  start: ['[options] <cluster>', 'start an upgrade: plans, opens a thread, and waits at the first gate'],
  apply: [
    '[options]',
    'start the upgrades declared in a file, or adopt those already running, and wait at the first gate; applying twice starts nothing twice',
  ],
  rollback: [
    '[options] <cluster>',
    'roll a control plane back to its previous minor, or undo one step of the last run: plans, opens a thread, and waits at the first gate',
  ],
  status: ['[options] [cluster]', 'show an upgrade with its open gates, or all running upgrades and kept freezes'],
  logs: ['[options] <cluster>', 'show the messages of an upgrade, in order, as in its Slack thread; needs neither Slack nor a worker'],
  campaign: ['', 'upgrade many clusters, ring by ring, as declared under campaigns in belay.yaml'],
  decide: ['[options] <cluster> <gate> <choice>', 'decide at an open gate; "belay status CLUSTER" lists gates and choices'],
  pause: ['[options] <cluster>', 'start no further step until the upgrade is resumed; the running step finishes'],
  resume: ['[options] <cluster>', 'continue after a pause'],
  abort: ['[options] <cluster>', 'stop before the next step and undo temporary changes; versions already changed stay'],
  retry: ['[options] <cluster>', 'run the failed step again, from its beginning'],
  skip: ['[options] <cluster>', 'continue without the failed step; needs --reason'],
  pace: ['[options] <cluster> <pace>', 'change how many nodes Karpenter replaces at a time; for approvers'],
  extend: ['[options] <cluster> <gate> <duration>', 'give an open gate more time, up to a week from now; for approvers and the requester'],
  handover: ['[options] <cluster> <user>', 'make someone else the requester of an upgrade; neither requester may approve it'],
  'break-glass': [
    '[options] <cluster> <gate> <choice>',
    'answer a gate despite its rules: two of the "people" in belay.yaml must send the same; announced in the channel',
  ],
  history: ['[options] <cluster>', 'list ended upgrades: outcome, requester, time, duration'],
  report: ['[options] <cluster>', 'show the record of the last ended upgrade'],
  audit: ['[options] [cluster]', 'show the audit record: decisions, refused attempts, commands, changes, altered records'],
  reconcile: ['[options] <cluster>', 'find what a terminated run left behind on a cluster; --yes restores it'],
  adopt: [
    '[options] [cluster...]',
    'after the loss of Temporal: find what lost runs left behind on the clusters in belay.yaml; --yes restores it',
  ],
  worker: ['[options]', 'run the worker; SIGTERM ends it gracefully'],
  slack: ['[options]', 'run the Slack app: socket mode with SLACK_APP_TOKEN, HTTP mode with SLACK_SIGNING_SECRET'],
  'codec-server': ['[options]', 'let Temporal UI show what BELAY_CODEC_KEYS has encrypted; SIGTERM ends it'],
  mcp: [
    '[options]',
    'serve check, plan, forecast, status, record and fleet to an AI assistant, by the Model Context Protocol on stdio; reads only',
  ],
  rehearse: [
    '[options]',
    'rehearse an upgrade: the real Temporal and Bolt app, with stand-ins for EKS, Kubernetes, Slack and Prometheus on 127.0.0.1',
  ],
  init: ['[options]', 'write a first belay.yaml, with comments, from what AWS and the clusters report'],
  'signing-key': ['[options]', "generate the Slack process's signing key: one line for its environment, one for belay.yaml"],
  doctor: [
    '[options] [cluster...]',
    'check AWS, Kubernetes, Temporal, workers, Slack and clocks, and show what to fix; exit code 2 if something fails',
  ],
  conformance: [
    '[options] [cluster]',
    'test Belay’s assumptions about EKS, Kubernetes and others (docs/inside/beliefs.md); reads only, unless --disposable',
  ],
  migrate: ['', 'migrate manifests of older APIs'],
  permissions: ['[options]', 'print the IAM policy, or Kubernetes roles and admission policies, for what belay.yaml uses'],
  schema: ['[options]', 'print the JSON Schema of belay.yaml'],
  validate: ['[options] [file...]', 'check whether belay.yaml is valid; reads only files, and prints each error with its line'],
  completion: ['[options] <shell>', 'print a completion script for a shell: source <(belay completion bash)'],
  'upgrade-self': ['', 'upgrade Belay itself'],
} satisfies Record<string, readonly [takes: string, description: string]>;

export type CommandName = keyof typeof LISTING;
