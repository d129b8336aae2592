/** `belay check`: is the cluster ready? Reads only; needs neither Temporal nor Slack. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { defined } from '../../domain/core/defined.ts';
import { compareKubernetesVersions, parseKubernetesVersion } from '../../domain/core/version.ts';
import { nearest } from '../../domain/policy/config/base/nearest.ts';
import { defaultTarget, policyOf } from '../../domain/policy/config/of-cluster.ts';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import { SOURCES } from '../../domain/readiness/model/sources.ts';
import type { ClusterCheck } from '../../domain/readiness/many.ts';
import { diffReports, isCheckOrArea, type ReadinessReport, selectChecks } from '../../domain/readiness/report.ts';
import { type Chosen, chosenCluster, type ClusterOptions, withCluster } from '../shared/cluster.ts';
import { flagGiven } from '../shared/cluster-choice.ts';
import {
  CLUSTER_ARGUMENT,
  type CommonOptions,
  oneOf,
  parseTarget,
  print,
  readConfig,
  say,
  TARGET_OPTION,
  withCommon,
} from '../shared/context.ts';
import { type SnapshotOptions, type SnapshotSubject, snapshotSubject, snapshotTarget, withSnapshot } from '../shared/snapshot.ts';
import { formatByFile, writeReport } from '../shared/output.ts';
import { CliError, EXIT, type ExitCode } from '../shared/errors.ts';
import { renderCheckHtml } from '../../render/readiness/html.ts';
import { renderCheckJunit } from '../../render/readiness/junit.ts';
import { renderCheckMarkdown } from '../../render/readiness/markdown.ts';
import { showProgress } from '../render/check-progress.ts';
import { parseReport, renderCheckJson } from '../../render/readiness/json-report.ts';
import { renderCheckText } from '../render/check-text.ts';
import { withoutControls } from '../shared/controls.ts';
import { noSuchReport, notAReport, otherClustersReport, otherNamespacesReport, unknownCheck } from '../messages/arguments.ts';
import { clusterOrAll, noDiffOfAll, someNotReady, someUnknown } from '../messages/fleet.ts';
import { notAllSeen, notReady, targetReached } from '../messages/outcomes.ts';
import { notWithAll } from '../messages/without-file.ts';
import { runCheckAll } from './check-all.ts';

const FORMATS = ['text', 'json', 'markdown', 'html', 'junit'] as const;
const FAIL_ON = ['required', 'recommended', 'unknown', 'never'] as const;

interface CheckOptions extends CommonOptions, SnapshotOptions, ClusterOptions {
  target?: string;
  format: (typeof FORMATS)[number];
  output?: string;
  diff?: string;
  only?: string[];
  skip?: string[];
  namespace?: string;
  failOn: (typeof FAIL_ON)[number];
  permissions?: boolean;
  all?: boolean;
}

const codes = (value: string): string[] => value.split(',').map((code) => code.trim().toUpperCase());

export function checkCommand(): Command {
  return formatByFile(withSnapshot(withCluster(withCommon(new Command('check')))), FORMATS)
    .description('check whether a cluster is ready for an upgrade; reads only, needs neither Temporal nor Slack')
    .argument('[cluster]', CLUSTER_ARGUMENT)
    .option('--all', 'every cluster in belay.yaml, each for its own target or else the next minor; a few at a time')
    .option('-t, --target <minor>', TARGET_OPTION, parseTarget)
    .option('--format <format>', FORMATS.join(', '), oneOf(...FORMATS), 'text')
    .option('-o, --output <file>', 'write the report to this file; without --format, its name gives the format: report.html')
    .option('--diff <file>', 'older report (--format json) to compare with, as far as both ran the same checks')
    .option('--only <codes>', 'only these checks or areas, such as K8S018,KAR', codes)
    .option('--skip <codes>', 'skip these checks or areas', codes)
    .option('-n, --namespace <name>', 'only findings in this namespace')
    .option(
      '--fail-on <what>',
      `least serious result that fails the command (exit code 2, or 3 for unknowns): ${FAIL_ON.join(', ')}`,
      oneOf(...FAIL_ON),
      'unknown',
    )
    .option('--permissions', 'print the least permissions of check and snapshot: an IAM policy and a ClusterRole')
    .addHelpText(
      'after',
      '\nExit codes of check: 0 ready, or at its target in belay.yaml already · 2 findings · 3 only unknowns · 1 could not run\nWith --all: the worst, 2 before 3; a cluster that could not be read counts as 3',
    )
    .action(async (named: string | undefined, options: CheckOptions) => {
      if (options.permissions === true) return await printPermissions();
      if (options.all === true) return await checkThemAll(named, options);
      refuseUnknownCodes([...(options.only ?? []), ...(options.skip ?? [])]);
      const { ref, check, end } = await subjectOf(named, options);
      const cluster = ref.name;
      const before = options.diff === undefined ? undefined : olderReport(options.diff, ref, options.namespace);
      const report = await check();
      if (report === undefined) return;
      writeReport(options, render(report, options, before));
      end();
      const exitCode = exitCodeFor(report, options.failOn);
      if (exitCode === EXIT.unknown) throw new CliError(notAllSeen(cluster), exitCode);
      if (exitCode !== EXIT.ok) throw new CliError(notReady(cluster, report.target), exitCode);
    });
}

/** What is checked: a cluster, or the snapshot of one. `check` gives undefined where the cluster is where belay.yaml wants it, which it has said. */
async function subjectOf(
  named: string | undefined,
  options: CheckOptions,
): Promise<{ ref: ClusterRef; check: () => Promise<ReadinessReport | undefined>; end: () => void }> {
  if (options.snapshot === undefined) {
    const chosen = await chosenCluster(named, options, { usage: 'belay check CLUSTER --target 1.34', quiet: options.format === 'json' });
    const { cluster: ref } = policyOf(chosen.config, chosen.cluster);
    return { ref, check: () => runCheck(chosen, options), end: chosen.end };
  }
  const subject = await snapshotSubject(options.snapshot, named, options);
  const { snapshotPolicy } = await import('../../worker/local/snapshots/plan-snapshot.ts');
  const { policy } = snapshotPolicy(subject.snapshot, subject.config);
  return { ref: policy.cluster, check: () => runOnSnapshot(subject, options), end: () => {} };
}

/** Loaded only here: the allow-list of snapshots is long. */
async function printPermissions(): Promise<void> {
  const { readingPermissions } = await import('../../domain/readiness/model/snapshot-rights.ts');
  const { renderPermissions } = await import('../../render/readiness/permissions.ts');
  print(renderPermissions(readingPermissions()));
}

async function checkThemAll(cluster: string | undefined, options: CheckOptions): Promise<void> {
  if (cluster !== undefined || options.snapshot !== undefined) throw new CliError(clusterOrAll());
  const flag = flagGiven(options);
  if (flag !== undefined) throw new CliError(notWithAll(flag));
  if (options.diff !== undefined) throw new CliError(noDiffOfAll());
  refuseUnknownCodes([...(options.only ?? []), ...(options.skip ?? [])]);
  const { checks, text } = await runCheckAll(readConfig(options), options);
  writeReport(options, text);
  const codes = checks.clusters.map((check) => exitCodeOf(check, options.failOn));
  const withCode = (code: ExitCode): number => codes.filter((each) => each === code).length;
  const [notReadyCount, unknownCount] = [withCode(EXIT.refused), withCode(EXIT.unknown)];
  if (notReadyCount > 0) throw new CliError(someNotReady(notReadyCount, codes.length), EXIT.refused);
  if (unknownCount > 0) throw new CliError(someUnknown(unknownCount, codes.length), EXIT.unknown);
}

/** Who accepts that checks are unknown has not accepted that a whole cluster is. */
function exitCodeOf(check: ClusterCheck, failOn: CheckOptions['failOn']): ExitCode {
  if (check.kind === 'report') return exitCodeFor(check.report, failOn);
  return check.kind === 'unread' && failOn !== 'never' ? EXIT.unknown : EXIT.ok;
}

async function runCheck(chosen: Chosen, options: CheckOptions): Promise<ReadinessReport | undefined> {
  const { config, cluster } = chosen;
  const target = await chosen.target(options.target);
  const described = options.target === undefined ? await describedByFile(chosen) : undefined;
  if (described !== undefined && isThere(chosen, target, described.version)) return undefined;
  const { checkCluster } = await import('../../worker/local/check.ts');
  const sources = new Set(selectChecks(CATALOGUE, options).flatMap(({ reads }) => reads));
  const progress = showProgress(
    process.stderr,
    [...sources].map((id) => SOURCES[id].what),
  );
  try {
    return await checkCluster(config, {
      cluster,
      target,
      only: options.only,
      skip: options.skip,
      namespace: options.namespace,
      onRead: (id) => progress.read(SOURCES[id].what),
      ...defined({ described }),
    });
  } finally {
    progress.end();
  }
}

/** Where its target is belay.yaml's; undefined: it is not. */
async function describedByFile({ config, cluster, isFromFile }: Chosen) {
  if (!isFromFile || defaultTarget(config, cluster) === undefined) return undefined;
  const { describe } = await import('../../worker/local/next-target.ts');
  return await describe(config, cluster);
}

/** In CI the target of belay.yaml stays there once it is reached: that is no failure. */
function isThere({ config, cluster }: Chosen, target: string, version = ''): boolean {
  const isReached = compareKubernetesVersions(parseKubernetesVersion(version), parseKubernetesVersion(target)) >= 0;
  if (isReached) say(targetReached(cluster, version, { target, file: config.fileName }));
  return isReached;
}

async function runOnSnapshot({ snapshot, config }: SnapshotSubject, { target: asked, ...options }: CheckOptions): Promise<ReadinessReport> {
  const target = await snapshotTarget(snapshot, config, asked);
  const { checkSnapshot } = await import('../../worker/local/snapshots/check-snapshot.ts');
  const { only, skip, namespace } = options;
  return await checkSnapshot(snapshot, { target, ...defined({ config, only, skip, namespace }) });
}

function refuseUnknownCodes(wanted: readonly string[]): void {
  const unknown = wanted.find((code) => !isCheckOrArea(CATALOGUE, code));
  if (unknown === undefined) return;
  const close = nearest(
    unknown,
    CATALOGUE.map(({ code }) => code),
  );
  throw new CliError(unknownCheck(unknown, close));
}

/** Refused where a difference between both would be none of the cluster's. */
function olderReport(file: string, cluster: ClusterRef, namespace: string | undefined): ReadinessReport {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CliError(noSuchReport(file));
  }
  const report = parseReport(text);
  if (report === undefined) throw new CliError(notAReport(file));
  if (report.cluster.name !== cluster.name) throw new CliError(otherClustersReport(file, report.cluster.name, cluster.name));
  if (isElsewhere(report.cluster, cluster)) throw new CliError(otherClustersReport(file, placed(report.cluster), placed(cluster)));
  const its = report.narrowed?.namespace?.name;
  if (its !== namespace) throw new CliError(otherNamespacesReport(file, its, namespace));
  return report;
}

/** An anonymized report has no account id. */
const isElsewhere = (one: ClusterRef, other: ClusterRef): boolean =>
  one.region !== other.region || (one.account !== other.account && [one, other].every(({ account }) => /^\d{12}$/.test(account)));

const placed = ({ name, account, region }: ClusterRef): string => `${name} (${account}, ${region})`;

function render(given: ReadinessReport, { format, output }: CheckOptions, before: ReadinessReport | undefined): string {
  const diffGiven = before === undefined ? undefined : diffReports(before, given);
  if (format === 'json') return renderCheckJson(given, diffGiven);
  const [report, diff] = [withoutControls(given), withoutControls(diffGiven)];
  switch (format) {
    case 'markdown':
      return renderCheckMarkdown(report, diff);
    case 'html':
      return renderCheckHtml(report, diff);
    case 'junit':
      return renderCheckJunit(report);
    case 'text':
      return renderCheckText(report, { diff, columns: output === undefined ? process.stdout.columns : undefined });
  }
}

/** From `failOn` on, worst first: required, recommended, unknown. */
function exitCodeFor({ counts }: ReadinessReport, failOn: CheckOptions['failOn']): ExitCode {
  if (failOn === 'never') return EXIT.ok;
  if (counts.required > 0 || (failOn === 'recommended' && counts.recommended > 0)) return EXIT.refused;
  return failOn !== 'required' && counts.unknown > 0 ? EXIT.unknown : EXIT.ok;
}
