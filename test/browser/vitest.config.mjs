/** The suite that needs Chromium: one rehearsal at a time, in a real browser. */
import { suite } from '../support/suite.mjs';

export default suite({ hasProgram: true, include: ['test/browser/**/*.test.ts'], limitMs: 240_000, workers: 1 });
