/** Temporal's own server on PostgreSQL, set up by what deploy/temporal and docker-compose.yml say; one file after the other. */
import root from '../../jest.config.mjs';

export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/production/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 240_000,
};
