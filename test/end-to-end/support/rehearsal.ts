/** A whole rehearsal in this process, with what was looked at on the way. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rehearse } from '../../../rehearsal/main.ts';
import type { RehearseOptions } from '../../../rehearsal/play/options.ts';
import type { RehearsalReport } from '../../../rehearsal/play/report.ts';
import type { Message } from '../../../rehearsal/neighbours/slack/methods/messages.ts';
import type { Stage } from '../../../rehearsal/play/stage/stage.ts';
import type { World } from '../../../rehearsal/world/world.ts';
import { wordsOf } from './words.ts';
import { PROGRAM } from '../../support/program.ts';

/** World times between which every NodePool forbade the replacement of drifted nodes. */
export interface Frozen {
  from: string;
  to: string | undefined;
}

export interface Rehearsed {
  ok: boolean;
  why: string;
  report: RehearsalReport;
  /** What --json wrote. */
  json: unknown;
  /** As it stands at the end. */
  world: World;
  /** Other clusters of belay.yaml, likewise. */
  neighbours: readonly World[];
  /** `spec.disruption` by NodePool, before and after. */
  budgets: { before: Record<string, unknown>; after: Record<string, unknown> };
  frozen: Frozen[];
  /** What a person reads in the channel, message by message, as edited last. */
  thread: string[];
  /** What identifies each message that Belay has posted: a key within a run of an upgrade. */
  postedKeys: string[];
  /** Names of the files in the channel. */
  files: string[];
  wallSeconds: number;
}

/** `onBuilt`: before anything has happened. */
export async function rehearsed({
  onBuilt,
  ...options
}: Partial<RehearseOptions> & { scenario: string; onBuilt?: (world: World, stage: Stage) => void }): Promise<Rehearsed> {
  const directory = mkdtempSync(join(tmpdir(), 'belay-end-to-end-'));
  const json = join(directory, 'out.json');
  const frozen: Frozen[] = [];
  let before: Record<string, unknown> = {};
  const lines: string[] = [];
  const startedAtMs = performance.now();
  try {
    const { ok, why, report, stage } = await rehearse({
      speed: 600,
      auto: 'approve',
      kills: [],
      faults: [],
      program: PROGRAM,
      ...options,
      json,
      say: (line) => void lines.push(line),
      onStage: (stage) => {
        const { world } = stage.built;
        before = budgetsOf(world);
        onBuilt?.(world, stage);
        world.journal.onMutation(({ at, api, accepted }) => {
          if (api === 'kubernetes' && accepted) note(frozen, isFrozen(world), at);
        });
      },
    });
    if (report === undefined || stage === undefined)
      throw new Error(`the rehearsal ended without a report: ${why}\n${lines.slice(-40).join('\n')}`);
    const { world } = stage.built;
    const wallSeconds = (performance.now() - startedAtMs) / 1000;
    // Whoever reads a failed test needs the story.
    const story = ok ? '' : `${why}\n${lines.slice(-60).join('\n')}`;
    return {
      ok,
      why: story,
      report,
      json: JSON.parse(readFileSync(json, 'utf8')),
      world,
      neighbours: stage.neighbours,
      thread: stage.slack.messages().map(wordsOf),
      postedKeys: stage.slack.messages().flatMap(keyOf),
      files: stage.slack.messages().flatMap(({ files = [] }) => files.map(({ name }) => String(name))),
      budgets: { before, after: budgetsOf(world) },
      frozen,
      wallSeconds,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function keyOf({ metadata }: Message): string[] {
  const { upgrade, run, key } = metadata?.event_payload ?? {};
  return metadata?.event_type === 'belay' ? [[upgrade, run, key].join(' ')] : [];
}

/** Accepted mutations of the cluster, as a sorted list of words: a multiset that can be compared. */
export function tally({ mutations }: RehearsalReport, api: 'eks' | 'kubernetes'): string[] {
  return mutations
    .filter((one) => one.api === api && one.accepted)
    .map(({ operation, resource }) => `${operation} ${resource}`)
    .toSorted();
}

function budgetsOf(world: World): Record<string, unknown> {
  return Object.fromEntries(world.store.list('nodepools').map((pool) => [pool.metadata.name, structuredClone(pool.spec?.disruption)]));
}

function isFrozen(world: World): boolean {
  return world.store.list('nodepools').every((pool) => {
    const budgets: { nodes?: string; reasons?: string[]; schedule?: string }[] = pool.spec?.disruption?.budgets ?? [];
    return budgets.some(
      ({ nodes, reasons, schedule }) => nodes === '0' && schedule === undefined && (reasons?.includes('Drifted') ?? true),
    );
  });
}

function note(frozen: Frozen[], now: boolean, at: string): void {
  const last = frozen.at(-1);
  if (now && (last === undefined || last.to !== undefined)) frozen.push({ from: at, to: undefined });
  if (!now && last !== undefined) last.to ??= at;
}
