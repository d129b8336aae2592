/** Tests that start whole processes, for half a minute and more each: `npm run test:processes`. They lie beside what they test. */
export const PROCESS_TESTS = [
  'test/cli/decide.test.ts',
  'test/cli/first-day.test.ts',
  'test/rehearsal/main-play.test.ts',
  'test/worker/codec.test.ts',
  'test/worker/outlives-temporal.test.ts',
  'test/worker/sick-workers.test.ts',
];
