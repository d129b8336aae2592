/** Lists of AWS in pages. */
import { expect, test } from 'vitest';
import { byNextToken } from '../../../../activities/clients/aws/pages.ts';

/** What has left, by token: a client signs first. */
function pages(answers: Record<string, string | undefined | Error>) {
  const left: string[] = [];
  const ask = async ({ NextToken = 'first' }: { NextToken?: string }): Promise<{ name: string; NextToken?: string }> => {
    await Promise.resolve();
    left.push(NextToken);
    const next = answers[NextToken];
    if (next instanceof Error) throw next;
    return { name: NextToken, ...(next === undefined ? {} : { NextToken: next }) };
  };
  return { left, ask };
}

test('each page is given out once the next one is asked for, and none twice', async () => {
  const { left, ask } = pages({ first: 'second', second: 'third', third: '' });
  const seen: [string, string[]][] = [];
  for await (const { name } of byNextToken(ask)) seen.push([name, [...left]]);
  expect(seen).toEqual([
    ['first', ['first', 'second']],
    ['second', ['first', 'second', 'third']],
    ['third', ['first', 'second', 'third']],
  ]);
});

test('a page that fails is the end of the list, after those before it', async () => {
  const { ask } = pages({ first: 'second', second: new Error('throttled') });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { name } of byNextToken(ask)) seen.push(name);
  })();
  await expect(reading).rejects.toThrow('throttled');
  expect(seen).toEqual(['first']);
});

test('who stops at a page hears nothing of the next one that fails', async () => {
  const { ask } = pages({ first: 'second', second: new Error('throttled') });
  for await (const { name } of byNextToken(ask)) {
    expect(name).toBe('first');
    break;
  }
  // An unhandled rejection would end the run of this file.
  await new Promise((resolve) => setTimeout(resolve, 10));
});
