/** End-to-end suites: whole upgrades on the twin through the real processes, one file after the other. */
import root from '../../jest.config.mjs';

export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/end-to-end/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 120_000,
};
