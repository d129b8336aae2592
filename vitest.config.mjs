import { suite } from './test/support/suite.mjs';
import { PROCESS_TESTS } from './test/processes/files.mjs';

/** `npm test`. Suites that need more than Node and the Temporal CLI have configurations of their own (see package.json scripts). */
export default suite({
  include: ['test/**/*.test.ts'],
  exclude: [
    ...['attacks', 'workflows', 'browser', 'timers', 'end-to-end', 'packed', 'contract/real', 'real', 'production', 's3'].map(
      (room) => `test/${room}/**`,
    ),
    ...PROCESS_TESTS,
  ],
});
