/** The release after this one, as an image of it would have it: the same files, a later version, and workflow code that open runs may meet. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../deploy/files.ts';

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
  change(join(copy, 'package.json'), (text) => text.replace(/"version": "[^"]+"/, `"version": "${NEXT_VERSION}"`));
  change(join(copy, 'workflows/run/upgrade-cluster.ts'), (code) =>
    `import { patched, sleep } from '@temporalio/workflow';\n${code}`.replace(
      'await run.readPolicy();',
      "if (patched('of-the-next-release')) await sleep(1);\n    await run.readPolicy();",
    ),
  );
  return { program: join(copy, 'cli/main.ts'), remove: () => rmSync(copy, { recursive: true, force: true }) };
}

function change(path: string, by: (text: string) => string): void {
  const before = readFileSync(path, 'utf8');
  const after = by(before);
  if (after === before) throw new Error(`${path} stays as it is`);
  writeFileSync(path, after);
}
