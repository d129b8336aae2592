/** What takes a second server to build, or waits for minutes. */
import { suite } from '../../support/suite.mjs';

export default suite({ hasProgram: true, include: ['test/production/long/*.test.ts'], limitMs: 1_800_000, workers: 1 });
