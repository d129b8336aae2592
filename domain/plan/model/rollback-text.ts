/** A rollback point in words: the same at every gate, in every plan, in Temporal UI. */
import { capital } from '../../core/text.ts';
import type { RollbackPoint, UpgradePlan } from './types.ts';

/** "Control plane: EKS version rollback …. Until 7 days after …. Cost: …." in sentences. */
export function rollbackText({ what, how, until, cost }: RollbackPoint): string {
  if (what === 'nothing') return `Nothing to undo: ${how}.`;
  return `${capital(what)}: ${how}. Until: ${until}. Cost: ${cost}.`;
}

/** The same in lines, for a message: what and how, until when, at what cost. */
export function rollbackLines({ what, how, until, cost }: RollbackPoint): string[] {
  if (what === 'nothing') return [`Nothing to undo: ${how}.`];
  return [`• ${capital(what)}: ${how}`, `• Until: ${until}`, `• Cost: ${cost}`];
}

/** "1.32 → 1.33", "back 1.33 → 1.32", "add-ons back, at 1.33". */
export function planWay({ kind, undoes, from, to }: Pick<UpgradePlan, 'kind' | 'undoes' | 'from' | 'to'>): string {
  if (undoes !== undefined) return `${undoes.step} back, at ${to}`;
  return `${kind === 'back' ? 'back ' : ''}${from} → ${to}`;
}

/** The way of a run in few words, for titles: "1.32 → 1.33", "add-ons back". */
export function runWay({ undoes, from, to }: { undoes?: string; from?: string; to: string }): string {
  return undoes === undefined ? `${from ?? '?'} → ${to}` : `${undoes} back, at ${to}`;
}
