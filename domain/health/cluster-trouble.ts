/** Trouble of a cluster as a run tells it: what was there before is not said, what lasts is said once, and said again when it is over. */
import type { PhaseId } from '../core/phases.ts';

const MINUTE_MS = 60_000;

/** Phases during which a cluster's own state is looked at; the first of them in a plan begins the watch. */
export const WATCHED_PHASES: readonly PhaseId[] = [
  'control-plane',
  'control-plane-back',
  'bake',
  'node-groups',
  'other-nodes',
  'karpenter-drift',
  'karpenter-controller',
  'istio',
  'add-ons-bridge',
  'add-ons-target',
  'add-ons-back',
];

interface TroubleKind {
  /** Said once it has lasted for so long: an ordinary roll of nodes is shorter. In time of the cluster. */
  afterMs: number;
  /** Over once it has not been seen for so long. */
  goneMs: number;
  /** What follows from something else of the same owner: not said beside it. */
  weak?: boolean;
  /** In a roll the members of a group are in this state in turn: what lasts is the time of the oldest one, not of the group. */
  inTurn?: boolean;
}

const kind = (afterMinutes: number, more: Partial<TroubleKind> = {}): TroubleKind => ({
  afterMs: afterMinutes * MINUTE_MS,
  goneMs: MINUTE_MS,
  ...more,
});

/** In the order in which they explain why a pod does not run. Limits are engineering judgement. */
const KINDS = {
  // A volume moves within a minute or two where its old node lets go.
  'multi-attach': kind(3),
  attach: kind(5),
  mount: kind(5),
  sandbox: kind(5),
  image: kind(3),
  // Between two crashes a container runs; after ten minutes without one the kubelet forgets them.
  'crash-loop': kind(2, { goneMs: 10 * MINUTE_MS }),
  // A node comes within minutes.
  scheduling: kind(5),
  pending: kind(5, { weak: true }),
  // Slow starters are not Ready for minutes.
  unhealthy: kind(10, { weak: true }),
  // A machine that is being replaced is NotReady until its node object goes.
  'node-not-ready': kind(5),
  // Karpenter itself gives up after fifteen.
  'node-never-joined': kind(10, { inTurn: true }),
  // Terminations wait for graces; Karpenter tries again.
  draining: kind(10),
  // One budget lets nodes go one after the other; what blocks the roll is a gate of its own.
  blocked: kind(30),
  // Rolls are done and begun in between; what is short all of the time is not rolling.
  below: kind(10, { weak: true }),
  // Not of the cluster: more than is told apart.
  many: kind(0),
} as const satisfies Record<string, TroubleKind>;

export type TroubleKindName = keyof typeof KINDS;

const TROUBLE_KINDS: Readonly<Record<TroubleKindName, TroubleKind>> = KINDS;

/** Something that is wrong at one look. */
export interface Sighting {
  kind: TroubleKindName;
  /** "Deployment shop/web", "NodePool default": whose it is. With the kind it tells sightings apart. */
  owner: string;
  /** A few words: "Deployment shop/web: pods are Pending". */
  title: string;
  /** The same with what is known of it, for people. */
  line: string;
  /** When it began, where the cluster says so; else it is the first look that has seen it. */
  sinceMs?: number;
}

interface Known {
  /** before: it was there at the first look. suspect: it does not last long enough yet. */
  stage: 'before' | 'suspect' | 'said';
  /** Looks in a row that have seen it, as long as it is suspected. */
  looks?: number;
  sinceMs: number;
  seenMs: number;
  title?: string;
  line?: string;
}

/** What a watch remembers, in heartbeats and from one activity to the next. */
export interface TroubleState {
  /** By kind and owner. */
  known: Record<string, Known>;
  /** What cannot be looked at, as far as people know. */
  unseen: string[];
  /** No look has succeeded yet: what was there before is not known. */
  blank?: true;
  /** An API server that does not answer: since when, by the worker's clock, and whether people know. */
  away?: { sinceMs: number; said: boolean };
}

export interface ClusterLook {
  sightings: Sighting[];
  /** Why something could not be looked at. */
  unseen: string[];
  /** By the API server's clock. */
  nowMs: number;
}

export interface TroubleNews {
  /** What people are told, one line each. */
  fresh: string[];
  solved: string[];
  unseen: string[];
}

/** So many are told apart: a state has to stay small. */
const MAX_KNOWN = 100;

/** What is old and seen for the first time may be gone at the next look. */
const MIN_LOOKS = 3;

export const NO_NEWS: TroubleNews = { fresh: [], solved: [], unseen: [] };

export const isNews = ({ fresh, solved, unseen }: TroubleNews): boolean => fresh.length + solved.length + unseen.length > 0;

/** What a look adds to what is known. `state` undefined: the first look, whose sightings were there before. */
export function judgeLook(state: TroubleState | undefined, look: ClusterLook): { state: TroubleState; news: TroubleNews } {
  const { nowMs, unseen } = look;
  const seen = new Map(limited(look.sightings).map((sighting) => [keyOf(sighting), sighting]));
  const known: Record<string, Known> = {};
  const solved: string[] = [];
  for (const [key, before] of Object.entries(state?.known ?? {})) {
    if (seen.has(key)) continue;
    // A suspect that comes and goes is no trouble: that is what a roll looks like. What cannot be looked at is not over.
    if (before.stage === 'suspect') continue;
    if (unseen.length > 0 || nowMs - before.seenMs < TROUBLE_KINDS[kindOf(key)].goneMs) known[key] = before;
    else if (before.stage === 'said') solved.push(before.title ?? key);
  }
  const first = state === undefined || state.blank === true;
  for (const [key, sighting] of seen) known[key] = next(sighting, state?.known[key], first, nowMs);
  const fresh = promoted(known, nowMs);
  if (state?.away?.said === true) solved.push('the API server does not answer');
  const newlyUnseen = unseen.filter((why) => state?.unseen.includes(why) !== true);
  return { state: { known, unseen }, news: { fresh, solved, unseen: newlyUnseen } };
}

/** The API server did not answer. That is transient for `transientMs`, and trouble from then on. Times are the worker's. */
export function judgeAway(
  state: TroubleState | undefined,
  why: string,
  { wallMs, transientMs, lasts }: { wallMs: number; transientMs: number; lasts: (ms: number) => string },
): { away: NonNullable<TroubleState['away']>; news: TroubleNews } {
  const away = state?.away ?? { sinceMs: wallMs, said: false };
  const awayMs = wallMs - away.sinceMs;
  if (away.said || awayMs < transientMs) return { away, news: NO_NEWS };
  return { away: { ...away, said: true }, news: { ...NO_NEWS, fresh: [`The API server has not answered for ${lasts(awayMs)}: ${why}`] } };
}

/** What has been said and is not over, the newest knowledge of each. */
export function openTroubles({ known, unseen, away }: TroubleState): string[] {
  const said = Object.values(known).flatMap(({ stage, line }) => (stage === 'said' && line !== undefined ? [line] : []));
  return [...(away?.said === true ? ['The API server does not answer.'] : []), ...said, ...unseen.map((why) => `UNKNOWN: ${why}`)];
}

function next({ kind, title, line, sinceMs }: Sighting, before: Known | undefined, first: boolean, nowMs: number): Known {
  if (first && !title.startsWith(MANY)) return { stage: 'before', sinceMs: sinceMs ?? nowMs, seenMs: nowMs };
  if (before?.stage === 'before') return { ...before, seenMs: nowMs };
  // Another one than at the look before: it has just begun.
  const isAnother = TROUBLE_KINDS[kind].inTurn === true && before?.stage === 'suspect' && sinceMs !== undefined && sinceMs > before.sinceMs;
  const since = isAnother ? sinceMs : (before?.sinceMs ?? sinceMs ?? nowMs);
  return { stage: before?.stage ?? 'suspect', looks: isAnother ? 1 : (before?.looks ?? 0) + 1, sinceMs: since, seenMs: nowMs, title, line };
}

/** Suspects that have lasted are said from now on: their lines. */
function promoted(known: Record<string, Known>, nowMs: number): string[] {
  const isStrong = ([key, { stage }]: [string, Known]): boolean => stage !== 'before' && !weak(key);
  const explained = new Set(
    Object.entries(known)
      .filter(isStrong)
      .map(([key]) => ownerOf(key)),
  );
  return Object.entries(known).flatMap(([key, entry]) => {
    const { afterMs } = TROUBLE_KINDS[kindOf(key)];
    if (entry.stage !== 'suspect' || nowMs - entry.sinceMs < afterMs || (entry.looks ?? 1) < (afterMs === 0 ? 1 : MIN_LOOKS)) return [];
    if (weak(key) && explained.has(ownerOf(key))) return [];
    entry.stage = 'said';
    return [entry.line ?? key];
  });
}

/** At one look alone: has it lasted for longer than an ordinary roll of nodes, or the start of a machine, takes? What says no beginning has not. */
export const hasLasted = ({ kind: name, sinceMs }: Sighting, nowMs: number): boolean =>
  sinceMs !== undefined && nowMs - sinceMs >= TROUBLE_KINDS[name].afterMs;

const MANY = 'more is wrong';

function limited(sightings: readonly Sighting[]): Sighting[] {
  if (sightings.length <= MAX_KNOWN) return [...sightings];
  const line = `More than ${MAX_KNOWN} things are wrong at once: what else is, is UNKNOWN. Look with kubectl get pods,nodes -A.`;
  return [...sightings.slice(0, MAX_KNOWN), { kind: 'many', owner: 'the cluster', title: `${MANY} than is told apart`, line }];
}

const keyOf = ({ kind: name, owner }: Sighting): string => `${name} ${owner}`;
const kindOf = (key: string): TroubleKindName => key.slice(0, key.indexOf(' ')) as TroubleKindName;
const ownerOf = (key: string): string => key.slice(key.indexOf(' ') + 1);
const weak = (key: string): boolean => TROUBLE_KINDS[kindOf(key)].weak === true;
