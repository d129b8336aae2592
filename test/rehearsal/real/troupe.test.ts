/** Processes of real parts, from the first to the last. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Troupe } from '../../../rehearsal/real/troupe.ts';

test('none is started once the play is over, whoever still waits to do so', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'belay-troupe-'));
  const troupe = new Troupe({ directory, say: () => undefined, onGivenUp: () => undefined });
  const role = { name: 'kube-apiserver', command: process.execPath, args: ['-e', 'setInterval(() => undefined, 1000)'] };
  try {
    troupe.start(role);
    await troupe.close();
    expect(() => troupe.start(role)).toThrow(new Error('kube-apiserver is not started: the rehearsal is over'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
