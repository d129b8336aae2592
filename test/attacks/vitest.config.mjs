/** Somebody who reaches Temporal and has no keys, against Belay's real processes. */
import { suite } from '../support/suite.mjs';

export default suite({ hasProgram: true, include: ['test/attacks/*.test.ts'], limitMs: 180_000, workers: 1 });
