/** Is there a helm for scenarios that need one? On the PATH, or beside the Temporal CLI in the user's cache. */
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { toolsDirectory } from '../../processes/cache-dir.ts';

/** PATH with the rehearsal's own tools behind the others. */
export function pathWithTools(env: NodeJS.ProcessEnv): string {
  return [env['PATH'], toolsDirectory(env)].filter((part) => part !== undefined && part !== '').join(delimiter);
}

/** Throws an error that names the ways out. */
export function requireHelm(scenario: string, env: NodeJS.ProcessEnv): void {
  if (spawnSync('helm', ['version', '--short'], { env: { ...env, PATH: pathWithTools(env) } }).status === 0) return;
  throw new Error(
    `Scenario ${scenario} needs Helm 3.13 or newer, and there is none: put helm on your PATH, or run: GOBIN=${toolsDirectory(env)} go install helm.sh/helm/v3/cmd/helm@v3.22.0`,
  );
}
