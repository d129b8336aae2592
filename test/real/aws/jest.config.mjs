/** Unmodified AWS clients against the twin: `npm run test:real:aws`. */
import root from '../../../jest.config.mjs';

export default {
  ...root,
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/real/aws/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 180_000,
};
