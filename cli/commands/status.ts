/** `belay status`: one upgrade, or all that run; once, or for as long as it is watched. */
import { Command } from 'commander';
import type { StatusAnswer, Upgrades, VisibilityStatus } from '../../client/upgrades-client.ts';
import { type Listed, UpgradesError } from '../../client/calls/contract.ts';
import { namesIn } from '../../client/reading/names-of-runs.ts';
import { duration } from '../../domain/core/text.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { asOf, ctrlC, endedAs, endUnknown, freezeKept, freezeOver, stoppedWatching } from '../messages/watch.ts';
import { renderListed, renderStatus } from '../render/status.ts';
import { inLocalTime, localMinute } from '../shared/local-time.ts';
import { changesOf } from '../render/watch/changes.ts';
import { Screen } from '../render/watch/screen.ts';
import { isOver, watchLines } from '../render/watch/view.ts';
import { plain, withoutControls } from '../shared/controls.ts';
import {
  type CommonOptions,
  type FormatOptions,
  print,
  readConfig,
  say,
  show,
  stoppable,
  withCommon,
  withFormat,
  withUpgrades,
} from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { watch, type Watched } from '../shared/watch.ts';

interface Options extends CommonOptions, FormatOptions {
  watch?: boolean;
}

export function statusCommand(): Command {
  return withFormat(withCommon(new Command('status')))
    .description('show an upgrade with its open gates, or all running upgrades and kept freezes')
    .argument('[cluster]', 'name in belay.yaml')
    .option(
      '-w, --watch',
      'keep watching until the run ends: redraws on a terminal, else prints a line per change; exit code 0 completed, 2 ended otherwise, 3 stopped before the end or outcome unknown',
    )
    .action(async (cluster: string | undefined, options: Options) => {
      const config = readConfig(options);
      await withUpgrades(config, async (upgrades) => {
        if (options.watch === true)
          return await stoppable((signal) => watchStatus(config, upgrades, { cluster, signal, options }), { follows: true });
        if (cluster === undefined) show(options, await upgrades.listAll(), renderListed);
        else show(options, await upgrades.status(cluster), renderStatus);
      });
    });
}

interface Watching {
  cluster: string | undefined;
  signal: AbortSignal;
  options: Options;
}

async function watchStatus(config: Config, upgrades: Upgrades, { cluster, signal, options }: Watching): Promise<void> {
  if (cluster === undefined) {
    const list = { look: () => upgrades.listAll(), isSecondHand: () => true, isOver: () => false, transient };
    return void (await shown(options, list, { lines: listedLines, changes: changesOfAll }, signal));
  }
  const { approvals } = policyOf(config, cluster);
  const of = (): { nowMs: number; approvals: typeof approvals } => ({ nowMs: Date.now(), approvals });
  const last = await shown(
    options,
    { look: () => upgrades.status(cluster), isSecondHand: ({ source }) => source === 'visibility', isOver, transient },
    { lines: (answer) => watchLines(answer, of()), changes: (before, now) => changesOf(before, now, of()) },
    signal,
  );
  // How the run ends is not known: that is not "completed".
  if (last === undefined) throw new CliError(stoppedWatching(cluster), EXIT.unknown);
  sayEnd(cluster, last);
}

const transient = (error: unknown): string | undefined =>
  error instanceof UpgradesError && error.code === 'unreachable' ? error.message : undefined;

/** Throws where the run has not completed: the exit code says so, too. */
function sayEnd(cluster: string, answer: StatusAnswer): void {
  const { source, status } = answer;
  if (source === 'workflow') {
    if (status.state !== 'completed') throw new CliError(endedAs(cluster, status.state), EXIT.refused);
    return;
  }
  // A run ends by itself whatever its outcome is, and only a worker can say that.
  if (status.execution === 'COMPLETED') throw new CliError(endUnknown(cluster), EXIT.unknown);
  throw new CliError(endedAs(cluster, status.execution.toLowerCase()), EXIT.refused);
}

interface Forms<T> {
  lines: (value: T) => string[];
  changes: (before: T | undefined, now: T) => string[];
}

/** On a terminal a picture, of which the last one stays; else lines, or JSON, whenever something has changed. */
async function shown<T>(options: Options, watched: Omit<Watched<T>, 'show'>, forms: Forms<T>, signal: AbortSignal): Promise<T | undefined> {
  if (!process.stdout.isTTY || options.format === 'json') return await watch({ ...watched, show: showLines(options, forms) }, signal);
  const screen = new Screen(process.stdout);
  let last: string[] = [];
  const draw: Watched<T>['show'] = (value, trouble) => {
    last = forms.lines(withoutControls(value)).map((line) => inLocalTime(line));
    screen.draw([...last, '', trouble === undefined ? ctrlC() : asOf(plain(trouble.why), duration(Date.now() - trouble.sinceMs))]);
  };
  try {
    return await watch({ ...watched, show: draw }, signal);
  } finally {
    screen.leave();
    if (last.length > 0) print(last.join('\n'));
  }
}

function showLines<T>({ format }: Options, { changes }: Forms<T>): Watched<T>['show'] {
  let before: T | undefined;
  let said: string | undefined;
  return (value, trouble) => {
    if (trouble !== undefined && said === undefined) say(trouble.why);
    said = trouble?.why;
    if (value === before) return;
    const lines = changes(withoutControls(before), withoutControls(value));
    before = value;
    if (lines.length === 0) return;
    if (format === 'json') print(JSON.stringify(value));
    else for (const line of lines) print(`${localMinute(Date.now())}  ${inLocalTime(line)}`);
  };
}

const listedLines = (all: Listed): string[] => renderListed(all).split('\n');

/** A line for each run that has begun, changed or ended, and for each freeze that is kept or no longer kept. */
function changesOfAll(before: Listed | undefined, now: Listed): string[] {
  if (before === undefined && now.runs.length + now.keptFreezes.length === 0) return listedLines(now);
  const without = (some: readonly VisibilityStatus[], others: readonly VisibilityStatus[]): VisibilityStatus[] =>
    some.filter(({ runId }) => others.every((other) => other.runId !== runId));
  const was = before?.keptFreezes ?? [];
  const nameOf = namesIn([...(before?.runs ?? []), ...was, ...now.runs, ...now.keptFreezes]);
  return [
    ...runChanges(before?.runs, now.runs, nameOf),
    ...without(now.keptFreezes, was).map((freeze) => freezeKept(nameOf(freeze), freeze.waitingFor)),
    ...without(was, now.keptFreezes).map((freeze) => freezeOver(nameOf(freeze))),
  ];
}

/** A line for each run that has begun, changed or ended. */
function runChanges(before: VisibilityStatus[] | undefined, now: VisibilityStatus[], nameOf: (run: VisibilityStatus) => string): string[] {
  const was = new Map(before?.map((run) => [run.runId, run]));
  const is = new Set(now.map(({ runId }) => runId));
  return [
    ...[...was.values()].filter(({ runId }) => !is.has(runId)).map((run) => `${nameOf(run)}: ended`),
    ...now.flatMap((run) =>
      changesOf(answerOf(was.get(run.runId)), answerOf(run), { nowMs: 0 })
        .filter((line) => line !== '')
        .map((line) => `${nameOf(run)}: ${line}`),
    ),
  ];
}

function answerOf(run: VisibilityStatus): StatusAnswer;
function answerOf(run: VisibilityStatus | undefined): StatusAnswer | undefined;
function answerOf(run: VisibilityStatus | undefined): StatusAnswer | undefined {
  return run === undefined ? undefined : { source: 'visibility', status: run, why: '' };
}
