/** Upgrades of real parts with people, and kills, in their middle: minutes each, so a script of their own. */
import { suite } from '../../support/suite.mjs';

export default suite({ hasProgram: true, include: ['test/real/people/*.test.ts'], limitMs: 120_000, workers: 1 });
