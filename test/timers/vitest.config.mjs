/** Waits of hours and days on Temporal's time-skipping server: one test at a time, since a server has one clock. */
import { suite } from '../support/suite.mjs';

// A server for each test, which lives for seconds: Java need not optimize what it hardly runs.
process.env.JAVA_TOOL_OPTIONS ??= '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

export default suite({
  include: ['test/timers/**/*.test.ts'],
  workers: 1,
  // Java starts for each test, which takes many times as long beside other suites.
  limitMs: 300_000,
});
