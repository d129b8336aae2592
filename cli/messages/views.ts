/** Sentences in what commands show: plans, statuses, readiness, history, migrations, beliefs. */
import { count } from '../../domain/core/text.ts';

export const noUpgradeRunning = (): string => 'No upgrade is running.';

/** Above a table of them. */
export const freezesKept = (): string => 'Freezes kept after their run, until somebody decides ("belay status CLUSTER" shows the gate):';

export const noHistory = (): string => 'No ended upgrade of this cluster is on record.';

export const nothingToUndo = (): string => 'No run on record has a step that can be undone on its own.';

export const cannotUndo = (step: string): string => `${step}: cannot be undone now`;

export const requestedBy = (person: string, at: string): string => `requested by ${person} at ${at}`;

export const runLasted = (run: { from: string; to: string; person: string }): string =>
  `${run.from} to ${run.to}, requested by ${run.person}`;

/** `at`: "2026-03-03 12:42 UTC". */
export const workLeft = (left: string, at: string): string =>
  `about ${left} of work left, done ${at} at the earliest; decisions take extra time`;

/** `until`: "2026-03-10 12:00 UTC". */
export const rollbackWindow = (cluster: string, minor: string, until: string): string =>
  `EKS can roll the control plane back to ${minor} until ${until}: belay rollback ${cluster} --dry-run`;

export const pauseRequested = (): string => 'Paused: no further step starts until it is resumed.';

export const checksMergesAgain = (cluster: string): string => `belay reconcile ${cluster} checks again.`;

export const planSize = (hopCount: number, stepCount: number, work: string): string =>
  `${count(hopCount, 'hop')}, ${count(stepCount, 'step')}, about ${work} without the time that decisions take`;

export const noForecast = (cluster: string, target: string): string =>
  `No forecast for ${target} yet: belay forecast ${cluster} --target ${target} simulates this plan on a snapshot of the cluster.`;

/** `total`, and by phase: "12 %". */
export const forecastsOff = (runCount: number, total: string | undefined, byPhase: readonly string[]): string =>
  `Forecasts were off by ${[...(total === undefined ? [] : [`${total} in total`]), ...byPhase].join(', ')} (median of ${count(runCount, 'upgrade')}).`;

export const durationsNotLearnt = (why: string): string => `Durations are not based on earlier upgrades here: ${why}`;

export const moreViolations = (moreCount: number): string => `… and ${moreCount} more; --format json has them all`;

export const moreInJson = (moreCount: number): string => `… and ${moreCount} more; --format json and html have them all`;

/** `option`: what was compared, "pace". */
export const oneInFull = (option: string): string => `"belay forecast --${option} …" shows one of them in full.`;

export const simulatedSoFar = (n: number, of: number): string => `Simulated ${n} of ${of}`;

export const ready = (target: string): string => `Ready for ${target}.`;

export const notReadyYet = (target: string): string => `Not ready for ${target}: fix what is required first.`;

export const unknownsOnly = (target: string): string =>
  `Ready for ${target} as far as could be seen; somebody has to check what is unknown.`;

/** More checks are unknown than passed. */
export const mostlyUnknown = (target: string, unknownCount: number): string =>
  `Whether it is ready for ${target} is not known: ${count(unknownCount, 'check')} could not be made. See Unknown above for what is missing.`;

export const readSoFar = (readCount: number, allCount: number, reading: string): string =>
  `Read ${readCount} of ${allCount}; still reading ${reading}`;

export const beliefsTried = (cluster: string, counts: { held: number; broken: number; untried: number }): string =>
  `Beliefs on ${cluster}: ${counts.held} held, ${counts.broken} did not hold, ${counts.untried} could not be tried.`;

export const nothingToMigrate = (): string => 'Nothing to migrate.';

export const migrationSteps = (): string => 'Steps, in this order (✓ done, ○ to do, ✗ broken, ? unknown):';

export const policyAllowsAll = (): string =>
  'IAM policy: it allows everything that this Karpenter does, judging by actions, resource types and tags.';

export const policyStaysBeside = (): string =>
  'IAM policy: keep it attached alongside the old one for as long as Karpenter 0.3x runs or may be rolled back to';

export const writtenByOthers = (): string => 'Managed from elsewhere, which would overwrite a change here: change it at the source';

export const filesByHand = (fileCount: number): string => `${count(fileCount, 'file')} to change by hand`;

export const questionsForYou = (questionCount: number): string => `${count(questionCount, 'question')} that only you can answer`;

export const helmTemplate = (): string => 'a Helm template: change what the chart renders, or its values';

export const terraformFile = (): string => 'Terraform: change the manifest inside it by hand, then run belay migrate on the rendered one';

export const kustomizePatch = (): string =>
  'Kustomize: a patch addresses fields at their old paths; migrate the base first, then update the paths in the patch';

export const notYaml = (why: string): string => `it cannot be read as YAML: ${why}`;

/** `name`: an old API, or a kind of it. */
export const oldNameElsewhere = (name: string): string =>
  `it mentions ${name} where Belay cannot tell what it means: in a chart value, a list or a text`;
