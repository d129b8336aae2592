import root from '../../jest.config.mjs';

/** `npm run test:workflows`: workflows in the real sandbox on a Temporal dev server. */
export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/workflows/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/workflows/global-setup.mjs',
  globalTeardown: '<rootDir>/test/workflows/global-teardown.mjs',
};
