/** End-to-end suites: whole upgrades on the twin through the real processes, which wait more than they work: more files at once than there are cores. */
import { suite } from '../support/suite.mjs';

export default suite({ hasProgram: true, include: ['test/end-to-end/*.test.ts'], limitMs: 120_000 });
