/** What a rehearsal ends with: the JSON that --json writes, and a table for people. */
import { z } from 'zod';
import type { KillRecord } from '../processes/kills.ts';
import type { FaultRecord } from '../world/faults.ts';
import type { Mutation } from '../world/journal.ts';
import type { LeftBehind } from '../world/left-behind.ts';

export interface RehearsalReport {
  outcome: string;
  scenario: string;
  cluster: string;
  from: string;
  to: string;
  workflowId: string;
  wallSeconds: number;
  worldSeconds: number;
  steps: { id: string; phase: string; outcome: string; startedAt?: string; endedAt?: string }[];
  gates: { id: string; choice: string; by?: string; waitedMs: number }[];
  /** What the stand-ins received: nothing here is told by Belay itself. */
  mutations: { api: string; operation: string; resource: string; token?: string; accepted: boolean; error?: string; at: string }[];
  killed: KillRecord[];
  faults: FaultRecord[];
  /** The twin's own difference of before and after. */
  leftBehind: LeftBehind[];
  /** What the scenario expects of a completed upgrade and the twin does not show. */
  unmet: string[];
  historyEvents: number;
  historyBytes: number;
  /** Of a snapshot: what the twin does not play. */
  limits?: string[];
}

const stamp = z.string().optional();
const actor = z.object({ id: z.string(), name: z.string().optional() });
/** `blocked`: of a gate about nodes that cannot be replaced. */
const gate = z.object({
  id: z.string(),
  title: z.string(),
  openedAt: z.string(),
  blocked: z.array(z.object({ node: z.string(), pod: z.string().optional() })).optional(),
});

/** The part of a run's record that is read here. */
const recordShape = z.object({
  report: z.object({
    outcome: z.string(),
    status: z.object({
      workflowId: z.string(),
      headline: z.string(),
      steps: z.array(z.object({ id: z.string(), state: z.string(), startedAt: stamp, endedAt: stamp })),
    }),
    decisions: z.array(
      z.object({
        kind: z.string(),
        gate,
        at: stamp,
        decision: z.object({ choice: z.string(), actor, at: z.string() }).optional(),
      }),
    ),
    leftBehind: z.array(z.object({ what: z.string(), why: z.string(), kept: z.boolean() })),
    watched: z.array(z.object({ at: z.string(), what: z.string() })).optional(),
  }),
});

export type RunRecord = z.output<typeof recordShape>['report'];

/** undefined: the text is not a record. */
export function parseRecord(json: string): RunRecord | undefined {
  try {
    return recordShape.parse(JSON.parse(json)).report;
  } catch {
    return undefined;
  }
}

export function stepsOf(record: RunRecord | undefined): RehearsalReport['steps'] {
  return (record?.status.steps ?? []).map(({ id, state, startedAt, endedAt }) => ({
    id,
    phase: id.split('@')[0] ?? id,
    outcome: state,
    startedAt,
    endedAt,
  }));
}

export function gatesOf(record: RunRecord | undefined): RehearsalReport['gates'] {
  return (record?.decisions ?? []).map(({ kind, gate: { id, openedAt }, decision, at }) => {
    const endedAt = decision?.at ?? at;
    return {
      id,
      choice: decision?.choice ?? kind,
      by: decision?.actor.id,
      waitedMs: endedAt === undefined ? 0 : Date.parse(endedAt) - Date.parse(openedAt),
    };
  });
}

export function mutationsOf(mutations: readonly Mutation[]): RehearsalReport['mutations'] {
  return mutations.map(({ api, operation, resource, token, accepted, error, at }) => ({
    api,
    operation,
    resource,
    token,
    accepted,
    error,
    at,
  }));
}

/** Only this is a success: the upgrade completed, the twin shows it, and nothing else has changed. */
export function succeeded(report: RehearsalReport): boolean {
  return report.outcome === 'completed' && report.leftBehind.length === 0 && report.unmet.length === 0;
}

/** The final table. */
export function renderReport(report: RehearsalReport, headline: string | undefined): string {
  const accepted = report.mutations.filter((mutation) => mutation.accepted && mutation.api !== 'slack');
  const rows: [string, string][] = [
    ['outcome', headline === undefined ? report.outcome : `${report.outcome}: ${headline}`],
    ['cluster', `${report.cluster}, ${report.from} → ${report.to}`],
    ['took', `${report.wallSeconds} s here, ${Math.round(report.worldSeconds / 60)} min in the world`],
    ['steps', countBy(report.steps.map(({ outcome }) => outcome))],
    ['gates', countBy(report.gates.map(({ choice }) => choice))],
    ['mutations', countBy(accepted.map(({ api }) => api))],
    ['killed', report.killed.map(renderKill).join(', ') || 'nothing'],
    ['faults', report.faults.map(renderFault).join(', ') || 'none'],
    ['left behind', report.leftBehind.map(renderLeft).join('; ') || 'nothing'],
    ['history', `${report.historyEvents} events, ${Math.round(report.historyBytes / 1024)} KiB`],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`).join('\n');
}

export function renderLimits(limits: readonly string[]): string {
  return ['Limits of this rehearsal:', ...limits.map((limit) => `  - ${limit}`)].join('\n');
}

export function renderLeft({ resource, what }: LeftBehind): string {
  return `${resource}: ${what}`;
}

function renderKill({ process, at, recoveredMs }: KillRecord): string {
  return `${process}@${at} (${recoveredMs === undefined ? 'not seen again' : `back after ${(recoveredMs / 1000).toFixed(1)} s`})`;
}

function renderFault({ fault, since, struck }: FaultRecord): string {
  return `${fault} (${since === undefined ? 'never began' : struck === 0 ? 'began' : `struck ${struck} times`})`;
}

/** "9 completed, 1 skipped". */
function countBy(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ') || 'none';
}
