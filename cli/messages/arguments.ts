/** What is wrong with the arguments of a command, and what would be right. */

export const oneOfWords = (words: readonly string[]): string => `Use one of ${words.join(', ')}.`;

export const writeAMinor = (): string => 'Use a Kubernetes minor version such as 1.34.';

export const writeADuration = (): string => 'Use a duration such as 30m, 2h or 1d.';

export const writeATime = (): string => 'Use an age such as 12h, 30d or 4w, or a date such as 2026-11-01.';

export const writeAUserId = (): string => 'Use a Slack user ID such as U012AB3CD or, without Slack, a name from belay.yaml.';

export const writeAKeyId = (): string => 'Use only letters, digits, ".", "_" and "-".';

export const writeARecord = (): string => "Copy it from the message, such as 'record 12 · 3f2a9c01b7e4'.";

/** `most`: inclusive. */
export const writeANumber = (most: number): string => `Use a number above 0 and up to ${most}.`;

export const writeAPort = (): string => 'Use a port between 0 and 65535, such as 8234.';

/** Both inclusive. */
export const writeAFleet = (least: number, most: number): string => `Use a number of clusters from ${least} to ${most}.`;

/** `flag`: as it was typed, --scenario. */
export const notWithFleet = (flag: string): string =>
  `Use either --fleet or ${flag}, not both: a fleet has its own clusters, one of which fails.`;

/** `flag`: as it was typed, --scenario. */
export const notWithSnapshot = (flag: string): string =>
  `Use either --snapshot or ${flag}, not both: the snapshot already defines the cluster.`;

export const targetOfSnapshot = (): string => '--snapshot needs the Kubernetes version to upgrade to: add --target 1.34.';

export const targetWithoutSnapshot = (): string =>
  '--target needs --snapshot: a scenario has its own target. Add --snapshot FILE, or leave out --target.';

/** `form`: what a pace looks like. */
export const writeAPace = (form: string): string => `${form}.`;

export const whichVersion = (cluster: string, file: string): string =>
  `Which version? Add --target 1.34, or write target: "1.34" for ${cluster} in ${file}.`;

export const whichTarget = (): string => 'Which version? Add --target 1.34.';

export const nothingAtFreeze = (): string =>
  'At pace freeze the nodes never roll. Use 1, 10%, another number or percentage, original or automatic.';

export const writeWaves = (): string => 'Use zone, nodepool, none, or a number of nodes above 0.';

export const writeAComparison = (): string => 'Name what to compare, and its values, such as pace=1,10%,original.';

export const compareTwo = (): string => 'Give at least two different values, such as strategy=every-hop,once-at-the-end.';

export const compareOnce = (option: string): string => `Use either --compare ${option}=… or --${option}, not both.`;

/** `usage`: the command with a cluster. */
export const whichCluster = (usage: string): string => `Which cluster? Name one from belay.yaml: ${usage}.`;

export const writeClusters = (): string => 'Use names of clusters, separated by commas.';

export const withoutNeedsReason = (clusters: readonly string[]): string =>
  `Why should the ring continue without ${clusters.join(', ')}? Add --reason "...": its gate and the record show it.`;

export const whichRegion = (): string => 'Which region? Add --region eu-west-1, or set AWS_REGION.';

/** `close`: what may have been meant. */
export const unknownCluster = (file: string, cluster: string, close: string | undefined): string =>
  `${file} has no cluster ${cluster}.${close === undefined ? '' : ` Did you mean ${close}?`}`;

export const unknownCheck = (code: string, close: string | undefined): string =>
  `Unknown check: ${code}.${close === undefined ? '' : ` Did you mean ${close}?`} docs/reference/checks.md lists them; the areas are EKS, AWS, K8S, KAR, IST and OWN.`;

export const unknownBelief = (id: string, close: string | undefined): string =>
  `Unknown belief: ${id}.${close === undefined ? '' : ` Did you mean ${close}?`} docs/inside/beliefs.md lists them.`;

export const unknownRight = (right: string, rights: readonly string[]): string =>
  `Unknown right: ${right}. --with takes ${rights.join(', ')}; belay.yaml determines the rest.`;

export const twoClusters = (named: string, disposable: string): string =>
  `Name one cluster, not two: ${named} or --disposable ${disposable}.`;

export const clustersDiffer = (first: readonly string[], second: readonly string[]): string =>
  `${first.join(', ')} and ${second.join(', ')} need different Kubernetes roles. Print one set at a time: add --cluster ${first.join(' ')}, then the others.`;

export const yesOrDryRun = (): string => 'Use either --yes or --dry-run, not both.';

export const clusterOrFolder = (): string => 'Use either a cluster or --dir, not both.';

export const nothingToMigrateNamed = (): string =>
  'What should be migrated? Name a cluster from belay.yaml, a checkout with --dir FOLDER, or a policy with --iam-policy FILE.';

export const writeNeedsFolder = (): string => '--write needs --dir FOLDER, whose files it changes. With a cluster, use --out FOLDER.';

export const outNeedsCluster = (): string => '--out needs a cluster, whose objects it writes. With --dir, use --write.';

export const pictureNeedsFile = (): string => '--format png needs a file: add --output report.png.';

export const noSuchFolder = (folder: string): string => `--dir ${folder}: no such folder; name the checkout with Karpenter's manifests.`;

export const noSuchReport = (file: string): string => `--diff ${file}: no such file; write one with --format json --output ${file}.`;

export const notAReport = (file: string): string => `--diff ${file} is not a report of belay check --format json.`;

export const otherClustersReport = (file: string, its: string, wanted: string): string =>
  `--diff ${file} is a report of ${its}, not of ${wanted}.`;

/** undefined: of all namespaces. */
export const otherNamespacesReport = (file: string, its: string | undefined, wanted: string | undefined): string => {
  const ofIts = its === undefined ? 'of all namespaces' : `of namespace ${its}`;
  const fix = its === undefined ? 'leave out --namespace' : `use --namespace ${its}`;
  return `--diff ${file} is a report ${ofIts}, not ${wanted === undefined ? 'of all' : `of ${wanted}`}: ${fix}, or compare with another report.`;
};

/** `why`: "it is not JSON". */
export const policyUnreadable = (file: string, why: string): string =>
  `--iam-policy ${file}: ${why}; write one with aws iam get-policy-version --query PolicyVersion.Document.`;

/** `option`: "--output". */
export const cannotWrite = (option: string, file: string, why: string): string =>
  `${option} ${file} cannot be written (${why}); name another file.`;

export const fileExists = (file: string): string =>
  `${file} already exists; overwrite it with --force, or name another file with --config.`;
