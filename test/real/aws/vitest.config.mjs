/** Unmodified AWS clients against the twin: `npm run test:real:aws`. */
import { suite } from '../../support/suite.mjs';

export default suite({ hasProgram: true, include: ['test/real/aws/*.test.ts'], limitMs: 180_000, workers: 1 });
