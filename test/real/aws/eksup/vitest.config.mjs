/** Unmodified eksup against the twin, and beside `belay check`: `npm run test:real:eksup`. Its build takes long, so it is run before releases. */
import { suite } from '../../../support/suite.mjs';

export default suite({ include: ['test/real/aws/eksup/*.test.ts'], limitMs: 180_000, workers: 1 });
