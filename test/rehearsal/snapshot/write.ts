/** Writes a snapshot as a file: gzip of JSON lines, with the header first and the proof at the end. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { objectsOf, type Snapshot, type SnapshotLine } from '../../../domain/facts/snapshot/format.ts';

export function fileOf(snapshot: Snapshot): Buffer {
  const lines = [
    snapshot.header,
    ...snapshot.calls,
    ...snapshot.lists.flatMap((list): SnapshotLine[] => [
      list,
      ...(objectsOf(snapshot, list.apiVersion, list.plural) ?? []).map((object) => ({
        kind: 'object' as const,
        plural: list.plural,
        object,
      })),
    ]),
    ...snapshot.metrics,
    ...snapshot.gaps,
  ].map((line) => `${JSON.stringify(line)}\n`);
  const sha256 = createHash('sha256').update(lines.join('')).digest('hex');
  const end = { kind: 'end', endedAt: snapshot.endedAt, lines: lines.length, sha256 };
  // Without a time in it the same lines are the same file.
  return gzipSync(`${lines.join('')}${JSON.stringify(end)}\n`, { level: 9 });
}
