/** The contract suite on real control planes; on the stand-in it is part of `npm run test:processes`. */
import { suite } from '../support/suite.mjs';

export default suite({ include: ['test/contract/real/*.test.ts'], limitMs: 120_000, workers: 1 });
