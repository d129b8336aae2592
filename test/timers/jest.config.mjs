/** Waits of hours and days on Temporal's time-skipping server: one test at a time, since a server has one clock. */
import root from '../../jest.config.mjs';

export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/timers/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
};
