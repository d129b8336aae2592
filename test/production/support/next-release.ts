/** The release after this one, as an image of it would have it: the same files, a later version, and workflow code that open runs may meet. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../deploy/files.ts';
import { changeFile, patchedStart } from '../../support/changed-workflows.ts';

const PARTS = ['activities', 'cli', 'client', 'domain', 'rehearsal', 'render', 'slack', 'worker', 'workflows', 'package.json'];
export const NEXT_VERSION = '99.0.0';

export interface NextRelease {
  /** Its cli/main. */
  program: string;
  remove: () => void;
}

export function nextRelease(): NextRelease {
  const copy = mkdtempSync(join(tmpdir(), 'belay-next-release-'));
  for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  changeFile(join(copy, 'package.json'), (text) => text.replace(/"version": "[^"]+"/, `"version": "${NEXT_VERSION}"`));
  changeFile(join(copy, 'workflows/run/upgrade-cluster.ts'), patchedStart('of-the-next-release'));
  return { program: join(copy, 'cli/main.ts'), remove: () => rmSync(copy, { recursive: true, force: true }) };
}
