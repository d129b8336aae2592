/** `belay apply`: an upgrade written in Git, started or adopted by CI or Argo CD. It approves nothing: people decide at the gates. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDurationMs } from '../../domain/core/parse-duration.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import type { UpgradeRequest } from '../../domain/policy/config/upgrade-file.ts';
import type { Upgrades } from '../../client/calls/contract.ts';
import { applyUpgrade } from '../shared/apply-upgrade.ts';
import { awaitRun, type WaitFor } from '../shared/await-run.ts';
import {
  cliActor,
  type CommonOptions,
  type FormatOptions,
  oneOf,
  print,
  printText,
  readConfig,
  readConfigToStart,
  say,
  type Sender,
  senderOf,
  stopSignal,
  withCommon,
  withFormat,
  withUpgrades,
} from '../shared/context.ts';
import { CliError, EXIT, type ExitCode, exitCodeOf } from '../shared/errors.ts';
import { readUpgrades } from '../shared/upgrade-files.ts';
import { appliedJson, type Outcome, renderApplied } from '../render/applied.ts';
import { plain, withoutControls } from '../shared/controls.ts';
import { progressOf, waitsOrNot } from '../messages/apply.ts';
import { writeADuration } from '../messages/arguments.ts';

interface Options extends CommonOptions, FormatOptions {
  file?: string[];
  dryRun?: boolean;
  again?: boolean;
  /** A limit in milliseconds; true: the usual one; false: --no-wait. */
  wait: boolean | number;
  waitFor?: WaitFor;
}

const MINUTE_MS = 60_000;
/** A plan is made within ten minutes, and people take days: CI is not kept for longer than it has to be. */
const USUAL_LIMIT_MS: Record<WaitFor, number> = { gate: 10 * MINUTE_MS, end: 12 * 60 * MINUTE_MS };
/** CI has nobody who would try again: a worker that is busy for a moment is waited for. */
const WORKER_LIMIT_MS = 12_000;

const collect = (file: string, before: string[] = []): string[] => [...before, file];

export function applyCommand(): Command {
  return withFormat(withCommon(new Command('apply')))
    .description(
      'start the upgrades declared in a file, or adopt those already running, and wait at the first gate; applying twice starts nothing twice',
    )
    .option('-f, --file <file>', 'file of Upgrade documents, or - for stdin; repeatable', collect)
    .option('--dry-run', 'only show what would be started or adopted, with the plan')
    .option('--again', 'start even if the last upgrade to this version was stopped, aborted, failed or rolled back')
    .addOption(new Option('--wait [duration]', 'how long to wait').argParser(parseLimit).default(true, '10m for the gate, 12h for the end'))
    .option('--no-wait', 'return as soon as the run is started or adopted')
    .option(
      '--wait-for <what>',
      'gate (default): until the first gate is open or decided; end: until the run has ended',
      oneOf('gate', 'end'),
    )
    .addHelpText(
      'after',
      '\nExit codes of apply: 0 started, adopted or already there, and reached what --wait-for names (end: completed) · 2 refused, or ended otherwise · 3 not reached within --wait; the run continues · 1 could not run\nWith several Upgrades: the worst, 1 before 2 before 3. Apply decides nothing: the run waits for the approvals that belay.yaml requires.',
    )
    .action(run);
}

async function run(options: Options): Promise<void> {
  if (options.wait === false && options.waitFor !== undefined) throw new CliError(waitsOrNot());
  const config = options.dryRun === true ? readConfig(options) : readConfigToStart(options);
  const requests = await readUpgrades(options.file ?? [], config);
  // Who sends is known before anything is started; who only looks need not show it.
  const senders = new Map<string, Sender>();
  for (const { cluster } of requests)
    senders.set(cluster, options.dryRun === true ? { actor: cliActor() } : await senderOf(config, cluster));
  const found: { outcome: Outcome; exitCode: ExitCode }[] = [];
  await applyAll(config, requests, senders, options, found);
  const outcomes = found.map(({ outcome }) => outcome);
  const text = options.format === 'json' ? JSON.stringify(appliedJson(outcomes), null, 2) : renderApplied(withoutControls(outcomes));
  if (text !== '') (options.format === 'json' ? print : printText)(text);
  const worst = [EXIT.couldNotRun, EXIT.refused, EXIT.unknown].find((code) => found.some(({ exitCode }) => exitCode === code));
  if (worst === undefined) return;
  const why = found.filter(({ exitCode }) => exitCode !== EXIT.ok).map(({ outcome }) => whyOf(outcome));
  throw new CliError(why.join('\n'), worst);
}

async function applyAll(
  config: Config,
  requests: readonly UpgradeRequest[],
  senders: ReadonlyMap<string, Sender>,
  options: Options,
  found: { outcome: Outcome; exitCode: ExitCode }[],
): Promise<void> {
  const work = async (upgrades: Upgrades): Promise<void> => {
    // All are started before the first is waited for; one that cannot be started keeps none of the others from it.
    for (const request of requests) {
      const sender = senders.get(request.cluster);
      if (sender === undefined) continue;
      try {
        const applied = await applyUpgrade(upgrades, request, sender, options);
        found.push({ outcome: { request, applied }, exitCode: applied.kind === 'refused' ? EXIT.refused : EXIT.ok });
      } catch (error) {
        if (requests.length === 1) throw error;
        found.push({ outcome: { request, failed: messageOf(error) }, exitCode: exitCodeOf(error) });
      }
    }
    if (options.wait === false) return;
    const { waitFor: until = 'gate' } = options;
    const limitMs = typeof options.wait === 'number' ? options.wait : USUAL_LIMIT_MS[until];
    const signal = stopSignal();
    await Promise.all(
      found.map(async (each) => {
        const { request, applied } = each.outcome;
        if (applied?.kind !== 'started' && applied?.kind !== 'adopted') return;
        const { cluster } = request;
        const onProgress = (headline: string): void => say(progressOf(cluster, plain(headline)));
        const stand = await awaitRun(upgrades, { cluster, runId: applied.runId, until, limitMs, onProgress, signal });
        each.outcome.stand = stand;
        each.exitCode = codeOf(stand);
      }),
    );
  };
  await withUpgrades(config, work, { withinMs: WORKER_LIMIT_MS });
}

function codeOf({ kind, status }: NonNullable<Outcome['stand']>): ExitCode {
  if (kind === 'not-yet') return EXIT.unknown;
  return kind === 'gone' || (kind === 'ended' && status?.state !== 'completed') ? EXIT.refused : EXIT.ok;
}

function whyOf({ request, applied, stand, failed }: Outcome): string {
  if (stand !== undefined) return stand.message;
  return applied?.message ?? `${request.cluster}: ${failed ?? ''}`;
}

function parseLimit(value: string): boolean | number {
  const limitMs = parseDurationMs(value);
  if (limitMs === undefined || limitMs === 0) throw new InvalidArgumentError(writeADuration());
  return limitMs;
}
