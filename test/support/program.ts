/** The `belay` that tests start in processes of its own. */
import { fileURLToPath } from 'node:url';

/** Set by the suites that build it (build-program.ts). */
export const PROGRAM_VARIABLE = 'BELAY_TEST_PROGRAM';

/** The sources' cli/main.ts, or where a suite has built it cli/bin.mjs in front of bundles. */
export const PROGRAM = process.env[PROGRAM_VARIABLE] ?? fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
