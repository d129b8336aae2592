/** Somebody who reaches Temporal and has no keys, against Belay's real processes. */
import root from '../../jest.config.mjs';

export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/attacks/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 180_000,
};
