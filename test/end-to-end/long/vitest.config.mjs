/** The longest plays: what is killed at every step of a migration, of a canary, and of choices that people seldom make; changes by Git and by others' node tools. */
import { suite } from '../../support/suite.mjs';

export default suite({ hasProgram: true, include: ['test/end-to-end/long/*.test.ts'], limitMs: 120_000, workers: 2 });
