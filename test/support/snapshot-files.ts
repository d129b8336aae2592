/** Writes a snapshot as its file, for commands. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { listKey, type Snapshot, type SnapshotLine } from '../../domain/facts/snapshot/format.ts';

export function writeSnapshotFile(file: string, { header, calls, lists, objects, gaps, endedAt }: Snapshot): void {
  const lines: SnapshotLine[] = [header, ...calls];
  for (const list of lists) {
    lines.push(list);
    const held = objects.get(listKey(list.apiVersion, list.plural)) ?? [];
    lines.push(...held.map((object): SnapshotLine => ({ kind: 'object', plural: list.plural, object })));
  }
  const texts = [...lines, ...gaps].map((line) => `${JSON.stringify(line)}\n`);
  const sha256 = createHash('sha256').update(texts.join('')).digest('hex');
  const end: SnapshotLine = { kind: 'end', endedAt, lines: texts.length, sha256 };
  writeFileSync(file, gzipSync(`${texts.join('')}${JSON.stringify(end)}\n`));
}
