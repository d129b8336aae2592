/** `belay forecast`: what an upgrade of this very cluster is going to do. Simulates the plan on a snapshot; needs neither Temporal nor Slack. */
import { Command } from 'commander';
import { defined } from '../../domain/core/defined.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import type { Snapshot } from '../../domain/facts/snapshot/format.ts';
import type { Forecast } from '../../domain/plan/forecast/types.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import type { NodeStrategy, NodeWaves } from '../../domain/policy/policy.ts';
import { compareOnce } from '../messages/arguments.ts';
import { forecastKept, forecastNotKept, noPlan, takingSnapshot } from '../messages/outcomes.ts';
import { showProgress } from '../render/check-progress.ts';
import { showSimulations } from '../render/forecast/progress.ts';
import { renderViolations } from '../render/plan.ts';
import { withoutControls } from '../shared/controls.ts';
import { type Chosen, chosenCluster, type ClusterOptions, withCluster } from '../shared/cluster.ts';
import {
  CLUSTER_ARGUMENT,
  type CommonOptions,
  oneOf,
  parseTarget,
  printJson,
  printText,
  say,
  stoppable,
  TARGET_OPTION,
  withCommon,
} from '../shared/context.ts';
import { formatByFile, writeReport } from '../shared/output.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { type Comparing, parseComparing, parseForecastPace, parseRuns, parseSeed, parseWaves } from '../shared/forecast-ways.ts';
import { type SnapshotOptions, type SnapshotSubject, snapshotSubject, snapshotTarget, withSnapshot } from '../shared/snapshot.ts';
import { NODE_STRATEGIES } from '../../domain/policy/policy.ts';

const FORMATS = ['text', 'json', 'html'] as const;

interface Options extends CommonOptions, SnapshotOptions, ClusterOptions {
  target?: string;
  runs: number;
  seed: number;
  strategy?: NodeStrategy;
  pace?: string;
  waves?: NodeWaves | 'none';
  compare?: Comparing;
  format: (typeof FORMATS)[number];
  output?: string;
}

export function forecastCommand(): Command {
  return formatByFile(withSnapshot(withCluster(withCommon(new Command('forecast')))), FORMATS)
    .description(
      'forecast an upgrade by simulating its plan: how long it takes, which pods block, what goes down; needs neither Temporal nor Slack',
    )
    .argument('[cluster]', CLUSTER_ARGUMENT)
    .option('-t, --target <minor>', TARGET_OPTION, parseTarget)
    .option('--runs <n>', 'simulations', parseRuns, 20)
    .option('--seed <n>', 'the same seed gives the same forecast', parseSeed, 1)
    .option('--strategy <strategy>', 'when nodes are replaced: every-hop or once-at-the-end', oneOf(...NODE_STRATEGIES))
    .option(
      '--pace <pace>',
      'how many of Karpenter’s nodes are replaced at a time: 1, 10%, original; automatic: as planned',
      parseForecastPace,
    )
    .option('--waves <by>', 'Karpenter’s nodes in waves: zone, nodepool, a number of nodes, or none', parseWaves)
    .option('--compare <what>', 'compare side by side, such as strategy=every-hop,once-at-the-end or pace=1,10%,original', parseComparing)
    .option('--format <format>', FORMATS.join(', '), oneOf(...FORMATS), 'text')
    .option('-o, --output <file>', 'write the forecast to this file; without --format, its name gives the format: forecast.html')
    .addHelpText(
      'after',
      '\nExit codes of forecast: 0 forecast made; it begins with what it does not know · 2 no plan satisfies all rules · 1 could not run',
    )
    .action(run);
}

async function run(named: string | undefined, options: Options): Promise<void> {
  refuseTwice(options);
  const { config, snapshot, target, end } = await subjectOf(named, options);
  const { compareForecasts, forecastSnapshot } = await import('../../worker/local/snapshots/forecast.ts');
  const { render, renderAll } = await import('../render/forecast/formats.ts');
  const progress = showSimulations(process.stderr);
  const { runs, seed, strategy, pace, waves, compare } = options;
  const request = { target, runs, seed, onPlayed: progress.played, ...defined({ config, strategy, pace, waves }) };
  if (compare !== undefined) {
    const comparison = await compareForecasts(snapshot, request, compare).finally(progress.end);
    writeReport(options, renderAll(comparison, shapeOf(options)));
    end?.();
    if (comparison.variants.every((variant) => 'refused' in variant)) throw new CliError(noPlan(), EXIT.refused);
    return;
  }
  const result = await forecastSnapshot(snapshot, request).finally(progress.end);
  if (result.kind === 'refused') {
    if (options.format === 'json') printJson(result);
    else printText(renderViolations(withoutControls(result.violations)));
    throw new CliError(noPlan(), EXIT.refused);
  }
  writeReport(options, render(result.forecast, shapeOf(options)));
  await keep(result.forecast, snapshot, config, options);
  end?.();
}

interface Subject extends SnapshotSubject {
  target: string;
  /** Says what is to be said at the end. */
  end?: () => void;
}

async function subjectOf(named: string | undefined, options: Options): Promise<Subject> {
  if (options.snapshot === undefined) {
    const chosen = await chosenCluster(named, options, { usage: 'belay forecast CLUSTER --target 1.34', quiet: options.format === 'json' });
    const { config, isFromFile, end } = chosen;
    // Before the cluster is read, which takes a while.
    const target = await chosen.target(options.target);
    return { snapshot: await takeOf(chosen), target, end, ...(isFromFile ? { config } : {}) };
  }
  const subject = await snapshotSubject(options.snapshot, named, options);
  return { ...subject, target: await snapshotTarget(subject.snapshot, subject.config, options.target) };
}

async function takeOf({ config, cluster }: Chosen): Promise<Snapshot> {
  const [{ READINGS, takeForNow }, { thisRelease }] = await Promise.all([
    import('../../worker/local/snapshots/take-for-now.ts'),
    import('../../worker/releases/build-id.ts'),
  ]);
  say(takingSnapshot(cluster));
  const progress = showProgress(process.stderr, READINGS);
  const onRead = (what: string): void => progress.read(what);
  return await stoppable((signal) => takeForNow(config, cluster, { belay: thisRelease(), onRead, signal })).finally(() => progress.end());
}

/** What is compared cannot be asked for besides. */
function refuseTwice({ compare, ...options }: Options): void {
  if (compare !== undefined && options[compare.by] !== undefined) throw new CliError(compareOnce(compare.by));
}

const shapeOf = ({ format, output }: Options) => ({
  format,
  ...defined({ columns: output === undefined ? process.stdout.columns : undefined }),
});

/** For the gate of the plan, and for the record to compare with. What-ifs are not kept, nor what belay.yaml says nothing of. */
async function keep(forecast: Forecast, snapshot: Snapshot, config: Config | undefined, { pace, waves }: Options): Promise<void> {
  const { snapshotPolicy } = await import('../../worker/local/snapshots/plan-snapshot.ts');
  if (config === undefined || pace !== undefined || waves !== undefined || !snapshotPolicy(snapshot, config).named) return;
  const { keepForecast } = await import('../../worker/local/snapshots/forecast.ts');
  try {
    const kept = await keepForecast(config, forecast);
    if (kept !== 'kept') say(forecastKept(kept.location));
  } catch (error) {
    say(forecastNotKept(messageOf(error)));
  }
}
