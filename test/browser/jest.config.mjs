/** The suite that needs Chromium: one rehearsal at a time, in a real browser. */
import root from '../../jest.config.mjs';

const { testPathIgnorePatterns: _unused, ...shared } = root;

export default {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/browser/**/*.test.ts'],
  testTimeout: 240_000,
  maxWorkers: 1,
};
