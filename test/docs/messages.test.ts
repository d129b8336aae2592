/** docs/messages.md shows every message: a file of constructors without a chapter is named. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CHAPTERS } from '../../scripts/docs/messages/document.ts';
import { filesWithoutChapter } from '../../scripts/docs/messages/files.ts';
import { HOUSE } from '../../scripts/lint/rooms.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('every file of messages has a chapter (else add one in scripts/docs/messages)', () => {
  expect(filesWithoutChapter(root, CHAPTERS)).toEqual([]);
});

test('a file of messages without a chapter is named, in each wing that has some', () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'belay-messages-'));
  try {
    const written = [
      'workflows/messages/note.ts',
      'workflows/messages/run.ts',
      'workflows/messages/eks/new.ts',
      'workflows/reporting/other.ts',
      'client/calls/messages.ts',
      'client/calls/decide.ts',
      'slack/messages/new.ts',
      'cli/messages/new.ts',
      'worker/messages/new.ts',
    ];
    for (const wing of Object.keys(HOUSE)) mkdirSync(join(elsewhere, wing));
    for (const path of written) {
      mkdirSync(dirname(join(elsewhere, path)), { recursive: true });
      writeFileSync(join(elsewhere, path), 'export const said = (): string => "said";\n');
    }
    expect(filesWithoutChapter(elsewhere, [{ path: 'workflows/messages/run.ts' }]).toSorted()).toEqual([
      'cli/messages/new.ts',
      'client/calls/messages.ts',
      'slack/messages/new.ts',
      'worker/messages/new.ts',
      'workflows/messages/eks/new.ts',
    ]);
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
});

test('each chapter shows the file that it names', async () => {
  const shown = await Promise.all(CHAPTERS.map(async ({ path, module }) => [path, (await import(join(root, path))) === module] as const));
  expect(shown.filter(([, isThat]) => !isThat)).toEqual([]);
});

test('titles of chapters differ, as each is an address in the document', () => {
  const titles = CHAPTERS.map(({ title }) => title);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});
