/** Today's workflow code with one file changed, as a copy among temporary files: another release. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface ChangedWorkflows {
  /** For `workflowBundle` and `bundleId`. */
  beside: string;
  remove(): void;
}

/** `file`: below workflows/. Throws where the change changes nothing. */
export function changedWorkflows(file: string, change: (code: string) => string): ChangedWorkflows {
  const copy = mkdtempSync(join(tmpdir(), 'belay-changed-workflows-'));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  for (const folder of ['workflows', 'domain']) cpSync(join(ROOT, folder), join(copy, folder), { recursive: true });
  changeFile(join(copy, 'workflows', file), change);
  return {
    beside: pathToFileURL(join(copy, 'worker', 'temporal', 'workflow-bundle.ts')).href,
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}

/** A run of that release waits a moment before it reads its policy: it cannot be replayed by this one, nor the other way round. */
export const withAnotherStart = (): ChangedWorkflows =>
  changedWorkflows('run/upgrade-cluster.ts', (code) =>
    `import { sleep } from '@temporalio/workflow';\n${code}`.replace(
      'await run.readPolicy();',
      'await sleep(1);\n    await run.readPolicy();',
    ),
  );

/** Throws where nothing is changed. */
export function changeFile(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${path} stays as it is`);
  writeFileSync(path, after);
}

/** Of run/upgrade-cluster.ts: a later release as it should be, whose runs begin otherwise under a patch. */
export const patchedStart =
  (patch: string) =>
  (code: string): string =>
    `import { patched, sleep } from '@temporalio/workflow';\n${code}`.replace(
      'await run.readPolicy();',
      `if (patched('${patch}')) await sleep(1);\n    await run.readPolicy();`,
    );
