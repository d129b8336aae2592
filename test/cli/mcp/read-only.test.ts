/** No way leads from the tools to what starts, signals, decides or steers, and only the command loads the protocol. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { filesOf, importsOf } from '../../../scripts/lint/imports.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** By imports of values, static and dynamic, each with the file that leads there. */
function reachedFrom(start: string): Map<string, string> {
  const reached = new Map([[start, '']]);
  for (const file of reached.keys())
    for (const { to, typeOnly } of importsOf(root, file)) if (!typeOnly && !reached.has(to)) reached.set(to, file);
  return reached;
}

/** Calls of Temporal's client that begin or change something. */
const CHANGES =
  /\bworkflow\s*\.\s*(?:start|signalWithStart|execute|executeUpdate\w*)\b|\.(?:signal|executeUpdate|startUpdate|terminate|cancel)\(/;

test('G2: from the tools no file of client/ is reached that sends anything but queries', () => {
  const reached = [...reachedFrom('cli/mcp/server.ts').keys()];
  const ofClient = reached.filter((file) => file.startsWith('client/'));
  expect(ofClient).toContain('client/reader.ts');
  expect(ofClient.filter((file) => CHANGES.test(readFileSync(`${root}${file}`, 'utf8')))).toEqual([]);
  expect(reached.filter((file) => file.startsWith('slack/'))).toEqual([]);
  expect(reached).not.toContain('worker/local/open-upgrades.ts');
});

test('the guard bites: the same look at the command line’s own client finds what sends', () => {
  const reached = [...reachedFrom('worker/local/open-upgrades.ts').keys()].filter((file) => file.startsWith('client/'));
  expect(reached.filter((file) => CHANGES.test(readFileSync(`${root}${file}`, 'utf8')))).toEqual(
    expect.arrayContaining(['client/plan-and-start.ts', 'client/send-commands.ts']),
  );
});

test('the protocol is loaded by its own room alone, and that only by the command, once it runs', () => {
  const wings = ['domain', 'activities', 'workflows', 'client', 'slack', 'worker', 'render', 'cli', 'rehearsal'].flatMap((wing) =>
    filesOf(root, wing),
  );
  const text = (file: string): string => readFileSync(`${root}${file}`, 'utf8');
  expect(wings.filter((file) => text(file).includes('@modelcontextprotocol/sdk'))).toEqual(['cli/mcp/server.ts']);
  const users = wings.filter((file) => !file.startsWith('cli/mcp/') && /['"/]mcp\/[a-z-]+\.ts'/.test(text(file)));
  expect(users).toEqual(['cli/commands/mcp.ts']);
  expect(text('cli/commands/mcp.ts')).toContain("import('../mcp/server.ts')");
});
