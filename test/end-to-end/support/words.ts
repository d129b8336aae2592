/** What a person reads in a message: its text and that of its blocks. */
import type { Message } from '../../../rehearsal/neighbours/slack/methods/messages.ts';

export function wordsOf({ text, blocks }: Message): string {
  return [text, ...textsIn(blocks)].join('\n');
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'text' && typeof inner === 'string' ? [inner] : textsIn(inner)));
}
