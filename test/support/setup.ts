/** Before each test file: files share a process, and none is to see what another has left in its environment. */
import { quietRuntime } from './temporal.ts';

const first: { env?: NodeJS.ProcessEnv; directory?: string } = ((globalThis as Record<symbol, unknown>)[Symbol.for('belay.tests')] ??= {});
first.env ??= { ...process.env };
first.directory ??= process.cwd();

for (const name of Object.keys(process.env)) if (!(name in first.env)) delete process.env[name];
Object.assign(process.env, first.env);
process.chdir(first.directory);
quietRuntime();
