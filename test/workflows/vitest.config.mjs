/** `npm run test:workflows`: workflows in the real sandbox on a Temporal dev server. */
import { suite } from '../support/suite.mjs';

export default suite({ include: ['test/workflows/**/*.test.ts'], workers: 8, globalSetup: 'test/workflows/global-setup.mjs' });
