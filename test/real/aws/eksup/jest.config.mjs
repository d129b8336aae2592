/** Unmodified eksup against the twin, and beside `belay check`: `npm run test:real:eksup`. Its build takes long, so it is run before releases. */
import aws from '../jest.config.mjs';

export default { ...aws, rootDir: '../../../..', testMatch: ['<rootDir>/test/real/aws/eksup/*.test.ts'] };
