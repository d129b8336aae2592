/** The longest plays: what is killed at every step of a migration, of a canary, and of choices that people seldom make; changes by Git and by others' node tools. */
import { fileURLToPath } from 'node:url';
import { suite } from '../../support/suite.mjs';

// Worker, Slack app and command lines start a hundred times: Node compiles their files once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../../node_modules/.cache/node-compile', import.meta.url));

export default suite({ include: ['test/end-to-end/long/*.test.ts'], limitMs: 120_000, workers: 2 });
