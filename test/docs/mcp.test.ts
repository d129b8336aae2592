/** docs/operate/mcp.md names the tools that there are, with their bounds, and a configuration that starts the command. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MOST_DATA, MOST_TEXT } from '../../cli/mcp/answer.ts';
import { TOOLS } from '../../cli/mcp/tools.ts';

const text = readFileSync(new URL('../../docs/operate/mcp.md', import.meta.url), 'utf8');

test('every tool has its row, and no other', () => {
  const rows = [...text.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(TOOLS.map(({ name }) => name));
});

test('the bounds are those of the code', () => {
  const written = (count: number): string => count.toLocaleString('en-US');
  expect(text).toContain(`at most ${written(MOST_TEXT)} characters and data ${written(MOST_DATA)}`);
});

test('the configuration of a client starts belay mcp', () => {
  const json: unknown = JSON.parse(/```json\n([^]+?)```/.exec(text)?.[1] ?? '');
  expect(json).toMatchObject({
    mcpServers: { belay: { command: 'npx', args: expect.arrayContaining(['--yes', expect.stringMatching(/^eks-belay@\d/), 'mcp']) } },
  });
});
