/** A change that somebody is to make says who, by when, and what happens otherwise. */
import { expect, test } from 'vitest';
import { noteBlocks } from '../../../slack/blocks/note.ts';

const NOTE = {
  kind: 'note',
  level: 'info',
  text: 'Please merge karpenter 1.5.3 → 1.9.2.',
  ask: { component: 'karpenter', name: 'karpenter', version: '1.9.2', managedBy: 'flux' },
} as const;
const of = { kind: 'slack', id: 'U0SAM', name: 'sam' } as const;

test.each([
  [
    { of, until: '2026-03-10T12:00:00.000Z' },
    'For <@U0SAM> or whoever may make this change, by <!date^1773144000^{time} {date_short_pretty}|2026-03-10 12:00 UTC>. After that the step fails, and you are asked what to do with it.',
  ],
  [{ of }, 'For <@U0SAM> or whoever may make this change. No deadline: the run does not wait for it.'],
  [undefined, undefined],
])('%j', (due, line) => {
  const shown = noteBlocks({ ...NOTE, ...(due === undefined ? {} : { due }) }).blocks.at(-1);
  const lines = shown?.type === 'context' ? shown.elements.map((each) => ('text' in each ? each.text : '')) : [];
  expect(lines).toEqual(['Requested change: karpenter `karpenter` at `1.9.2`, managed by flux', ...(line === undefined ? [] : [line])]);
});
