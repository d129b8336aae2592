/** Waits of hours and days on Temporal's time-skipping server: one test at a time, since a server has one clock. */
import root from '../../jest.config.mjs';

// A server for each test, which lives for seconds: Java need not optimize what it hardly runs.
process.env.JAVA_TOOL_OPTIONS ??= '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/timers/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  // Java starts for each test, which takes many times as long beside other suites.
  testTimeout: 300_000,
  // A test that ran out of time has left a worker and a server that nobody ends.
  forceExit: true,
};
