/** The npm package as people install it: packed, installed in an empty folder, run from there. */
import { suite } from '../support/suite.mjs';

export default suite({ include: ['test/packed/**/*.test.ts'], limitMs: 180_000, workers: 1 });
