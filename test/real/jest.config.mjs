/** Suites on real parts: a real control plane, real Karpenter, real Istio, real Prometheus; one file after the other. */
import root from '../../jest.config.mjs';

/** `npm run test:real -- forecast`: a quarter of an hour of its own, and part of `npm run test:release`. */
const forecast = process.argv.some((argument) => argument.includes('forecast'));

export default {
  ...root,
  rootDir: '../..',
  testMatch: [forecast ? '<rootDir>/test/real/forecast/*.test.ts' : '<rootDir>/test/real/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 120_000,
};
