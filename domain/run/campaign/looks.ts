/** What looking at the runs of a campaign has come to. The look alone is enough: a run that ended without a word is found by it. */
import { defined } from '../../core/defined.ts';
import { duration } from '../../core/text.ts';
import type { Offered } from './bundles.ts';
import { type CampaignState, hasArrived, hasRun, type MemberState, withMember } from './state.ts';

/**
 * One look at a cluster whose run goes on, or that has arrived. Of the latter only `gone` and `rolled-back` change anything, and `rolled-back` means that its
 * version is below the target now: a rollback of another year does not.
 */
export type Look =
  /** `progressAt`: when its history last grew by more than looks; ISO 8601. `byItself`: a gate that closes once its time has come. */
  | { kind: 'open'; runId: string; phase?: string; gate?: string; byItself?: string; progressAt?: string; asks?: Asked }
  | { kind: 'ended'; runId: string; outcome: EndedAs; why: string }
  /** Neither Temporal nor a record knows how it ended. */
  | { kind: 'forgotten'; why: string }
  | { kind: 'gone'; why: string }
  | { kind: 'unread'; why: string };

/** What its gate asks for, where it may be decided with others. `same`: what was known of it. `unread`: its run did not say. */
export type Asked = Offered | { kind: 'same' } | { kind: 'unread' };

/** `completed`: at the target. `rolled-back`: it has moved and is back. */
export type EndedAs = 'completed' | 'rolled-back' | 'failed';

export function applyLook(state: CampaignState, key: string, look: Look, now: string, stuckAfterMs: number): CampaignState {
  const before = state.members[key];
  if (before === undefined) return state;
  if (hasArrived(before)) {
    const after = afterArrival(before, look);
    return after === before ? state : withMember(state, key, after);
  }
  if (!hasRun(before)) return state;
  return withMember(state, key, afterLook(before, look, now, stuckAfterMs));
}

/** One that went back, or is gone, has not arrived: the soak is there to see it. */
function afterArrival(before: MemberState, look: Look): MemberState {
  if (look.kind === 'ended' && look.outcome === 'rolled-back') return { kind: 'rolled-back', why: look.why };
  return look.kind === 'gone' ? { kind: 'removed', why: look.why } : before;
}

type Running = Extract<MemberState, { runId: string }>;

function afterLook(before: Running, look: Look, now: string, stuckAfterMs: number): MemberState {
  switch (look.kind) {
    case 'open': {
      const { unread: _unread, ...known } = before;
      const { runId, gate, byItself, progressAt } = look;
      const phase = byItself === undefined ? look.phase : waitingPhase(look.phase, byItself);
      // Another run in its place was started by people, after ours had ended: it is the cluster's run now.
      const since = runId === before.runId ? before.since : now;
      const quietMs = Date.parse(now) - Date.parse(latest(progressAt, since));
      const adopted = 'adopted' in known && known.adopted === true ? { adopted: true as const } : {};
      const shared = { runId, since, ...(phase === undefined ? {} : { phase }), ...adopted };
      // Until its window opens, or its bake is over, there is no progress to be made; the gate has an end of its own.
      const isStuck = quietMs >= stuckAfterMs && (byItself === undefined || gate !== undefined);
      if (isStuck) {
        const kept = known.kind === 'stuck' ? defined({ beside: known.beside, earlier: known.earlier }) : {};
        const where = gate === undefined ? (phase ?? 'its start') : `gate ${gate}`;
        return { kind: 'stuck', runId, since, why: `no progress for ${duration(quietMs)}, at ${where}`, ...kept };
      }
      return gate === undefined ? { kind: 'running', ...shared } : { kind: 'needs-people', gate, ...shared };
    }
    case 'ended':
      if (look.outcome === 'completed') return { kind: 'done', by: 'run' };
      return { kind: look.outcome, why: look.why, ...(look.outcome === 'failed' ? earlierOf(before) : {}) };
    case 'forgotten':
      return { kind: 'unknown', why: look.why };
    case 'gone':
      return { kind: 'failed', why: look.why, ...earlierOf(before) };
    case 'unread':
      // It keeps its slot: what cannot be seen may be at work.
      return { ...before, unread: look.why };
  }
}

/** "node-groups@1.34, until its maintenance window opens" */
function waitingPhase(phase: string | undefined, gate: string): string {
  const until = gate.startsWith('bake:') ? 'until its bake is over' : 'until its maintenance window opens';
  return phase === undefined ? until : `${phase}, ${until}`;
}

/** Counted as stuck in an attempt before: its end is the same failure. */
const earlierOf = (before: Running): { earlier?: true } => (before.kind === 'stuck' ? defined({ earlier: before.earlier }) : {});

const latest = (one: string | undefined, other: string): string => (one !== undefined && one > other ? one : other);
