/** `belay rehearse`: upgrades on the twin, from the first typed command to the last comparison of before and after. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { approve, NotStarted } from './play/approve.ts';
import { ask } from './play/ask.ts';
import { Backstage, type Given } from './play/backstage.ts';
import { chooseFaults, scenarioOf } from './play/choose.ts';
import { FleetBackstage } from './play/fleet/backstage.ts';
import type { FleetOptions, FleetResult } from './play/fleet/options.ts';
import { performFleet } from './play/fleet/perform.ts';
import { renderLimits } from './play/report.ts';
import { requireHelm } from './neighbours/helm/find-helm.ts';
import type { RehearsalResult, RehearseOptions } from './play/options.ts';
import { parseKill } from './processes/kills.ts';
import { worldOnly } from './play/world-only.ts';

export type { RehearsalResult, RehearseOptions } from './play/options.ts';
export { RefusedSnapshot } from './scenarios/snapshot/index.ts';

const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Throws errors that name the fix for wrong options; resolves with how it went otherwise. Leaves no process behind. */
export async function rehearse(options: RehearseOptions): Promise<RehearsalResult> {
  const scenario = scenarioOf(options);
  // Of real parts it is one, and built where it is missing.
  const { istio, karpenter } = scenario.managedBy;
  if ((istio === 'helm' || karpenter === 'helm') && options.worldOnly !== true && options.kubernetes !== 'real')
    requireHelm(scenario.name, process.env);
  const faults = chooseFaults(options.faults, options.kubernetes);
  const orders = options.kills.map(parseKill);
  return await perform(scenario.name, options, (evening) => {
    const given: Given = { options, scenario, faults, orders, ...evening };
    const backstage = new Backstage(given);
    return { backstage, result: () => play(given, backstage) };
  });
}

/** The same of several clusters at once. */
export async function rehearseFleet(options: FleetOptions): Promise<FleetResult> {
  return await perform('fleet', options, (evening) => {
    const given = { options, ...evening };
    const backstage = new FleetBackstage(given);
    return { backstage, result: () => performFleet(given, backstage) };
  });
}

/** What every rehearsal has: a folder, somebody who hears it, and a way to end it. */
type Evening = Pick<Given, 'directory' | 'say' | 'interrupted'>;

interface Performance<R> {
  backstage: { failure: Error | undefined; tearDown(): Promise<void> };
  result: () => Promise<R>;
}

/** Whatever happens, everything is taken down in the end. */
async function perform<R extends { ok: boolean; why: string }>(
  name: string,
  options: Pick<RehearseOptions, 'keep' | 'auto' | 'worldOnly' | 'say' | 'signal'>,
  open: (evening: Evening) => Performance<R>,
): Promise<R | { ok: boolean; why: string }> {
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort(new Error('interrupted'));
  for (const signal of INTERRUPTIONS) process.once(signal, interrupt);
  options.signal?.addEventListener('abort', interrupt, { once: true });
  const keep = options.keep === true || options.auto === 'ask' || options.worldOnly === true;
  const directory = workDirectory(name, keep);
  const say = options.say ?? print;
  const { backstage, result } = open({ directory, say, interrupted });
  let passed = false;
  try {
    const ended = await result();
    passed = ended.ok;
    return ended;
  } catch (error) {
    if (interrupted.signal.aborted && backstage.failure === undefined)
      return { ok: options.worldOnly === true, why: 'The rehearsal was interrupted.' };
    throw backstage.failure ?? error;
  } finally {
    await backstage.tearDown();
    for (const signal of INTERRUPTIONS) process.off(signal, interrupt);
    if (!keep && passed) rmSync(directory, { recursive: true, force: true });
    else say(`Database, logs and records: ${directory}`);
  }
}

async function play({ options, scenario, directory, say, interrupted }: Given, backstage: Backstage): Promise<RehearsalResult> {
  const scene = await backstage.setScene();
  const { stage, temporal, addresses } = scene;
  const limits = scenario.limits?.(stage.built.world) ?? [];
  if (limits.length > 0) say(`${renderLimits(limits)}\n`);
  if (options.worldOnly === true) {
    const { signal } = interrupted;
    return await worldOnly({ options, scenario, stage, addresses, directory, say, signal });
  }
  const started = { ...backstage.startBelay(scene), limits };
  say(`${scenario.title} (${scenario.name}), ${options.speed}× as fast.\n`);
  say(`The channel:  ${stage.slack.pageUrl}`);
  if (temporal.ui !== undefined) say(`Temporal UI:  ${temporal.ui}`);
  if (options.auto === 'ask') return await ask(started);
  try {
    return await approve(started);
  } catch (error) {
    // Of a scenario of our own it is a fault; of somebody's cluster it is the answer.
    if (scenario.loaded === true && error instanceof NotStarted) return { ok: false, why: error.message, stage };
    throw error;
  }
}

/** Kept ones lie in the working directory, others among temporary files. */
function workDirectory(name: string, keep: boolean): string {
  if (!keep) return mkdtempSync(join(tmpdir(), `belay-${name}-`));
  const stamp = new Date().toISOString().replace(/[:.]/g, '-').slice(0, 19);
  const directory = resolve('.belay', 'rehearsals', `${name}-${stamp}-${process.pid}`);
  mkdirSync(directory, { recursive: true });
  return directory;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
