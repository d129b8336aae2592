/** Tests that start whole processes, play every scenario or hold the twin to a whole contract, and take their time: `npm run test:processes`. They lie beside what they test. */
export const PROCESS_TESTS = [
  'test/activities/kubernetes/helm/real-helm.test.ts',
  'test/cli/commands/check.test.ts',
  'test/cli/commands.test.ts',
  'test/cli/commands/decide.test.ts',
  'test/cli/first-day.test.ts',
  'test/conformance/changes.test.ts',
  'test/conformance/command.test.ts',
  'test/contract/stand-in.test.ts',
  'test/rehearsal/main-play.test.ts',
  'test/rehearsal/world/world.test.ts',
  'test/slack/process.test.ts',
  'test/worker/doctor/clock.test.ts',
  'test/worker/codec/codec.test.ts',
  'test/worker/outlives-temporal.test.ts',
  'test/worker/sick-workers.test.ts',
];
