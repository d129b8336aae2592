/** End-to-end suites: whole upgrades on the twin through the real processes, which wait more than they work: more files at once than there are cores. */
import { fileURLToPath } from 'node:url';
import { suite } from '../support/suite.mjs';

// Worker, Slack app and command lines start a hundred times: Node compiles their files once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node-compile', import.meta.url));

export default suite({ include: ['test/end-to-end/*.test.ts'], limitMs: 120_000 });
