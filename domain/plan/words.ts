/** A rollback point in words: the same at every gate, in every plan, in Temporal UI. */
import type { RollbackPoint } from './types.ts';

/** "Control plane: EKS version rollback …. Until 7 days after …. Cost: …." in sentences. */
export function rollbackText({ what, how, until, cost }: RollbackPoint): string {
  if (what === 'nothing') return `Nothing to undo: ${how}.`;
  return `${sentence(what)}: ${how}. Until: ${until}. Cost: ${cost}.`;
}

/** The same in lines, for a message: what and how, until when, at what cost. */
export function rollbackLines({ what, how, until, cost }: RollbackPoint): string[] {
  if (what === 'nothing') return [`Nothing to undo: ${how}.`];
  return [`• ${sentence(what)}: ${how}`, `• Until: ${until}`, `• Cost: ${cost}`];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
