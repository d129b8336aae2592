/** What takes a second server to build, or waits for minutes. */
import production from '../jest.config.mjs';

export default { ...production, rootDir: '../../..', testMatch: ['<rootDir>/test/production/long/*.test.ts'], testTimeout: 1_800_000 };
