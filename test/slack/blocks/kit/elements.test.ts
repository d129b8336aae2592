/** A message that is longer than Slack takes: what it begins with and its buttons stay, and it says that something is missing. */
import { expect, test } from 'vitest';
import { actions, button, context, header, message, sections } from '../../../../slack/blocks/kit/elements.ts';
import { read } from '../../reading.ts';

const lines = (count: number, text: string): string[] => Array.from({ length: count }, (_, index) => `${index + 1}. ${text}`);
const approve = button({ actionId: 'approve', label: 'Approve', value: { gate: 'g' } });
const tail = [...context(['small print']), ...actions(approve === undefined ? [] : [approve])];

test('what fits is as it was made', () => {
  const blocks = [header('Plan'), ...sections(lines(50, 'a step'), 8), ...tail];
  expect(message('Plan', blocks).blocks).toEqual(blocks);
});

test('a plan of 120 long steps keeps its beginning, its small print and its buttons', () => {
  const step = 'x'.repeat(250);
  const { blocks } = message('Plan', [header('Plan'), ...sections(lines(120, step), 12), ...tail]);
  const { text } = read({ text: 'Plan', blocks });
  expect(text).toContain(`1. ${step}`);
  expect(text).not.toContain(`119. ${step}`);
  expect(text).toContain('More than one message can hold: the rest is left out.');
  expect(blocks.slice(-2)).toEqual(tail);
});

test('51 blocks are cut to 50, and it says so', () => {
  const many = Array.from({ length: 49 }, (_, index) => sections([`part ${index}`])).flat();
  const { blocks } = message('Parts', [...many, ...tail]);
  expect(blocks).toHaveLength(50);
  expect(read({ text: '', blocks }).text).toContain('the rest is left out');
  expect(blocks.slice(-2)).toEqual(tail);
});

test('of buttons that alone are more than a message holds the first ones stay, and it says so', () => {
  const many = Array.from({ length: 13 }, (_, index) =>
    button({ actionId: `b${index}`, label: `${index}`, value: { id: 'x'.repeat(1_200) } }),
  );
  const { blocks } = message('Gate', [header('Gate'), ...context(['small print']), ...actions(many.filter((each) => each !== undefined))]);
  const { text, buttons } = read({ text: '', blocks });
  expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(12_500);
  expect(buttons.map((each) => each.split(' ')[0])).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8']);
  expect(text).toContain('the rest is left out');
});
