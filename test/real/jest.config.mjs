/** Suites on real parts: a real control plane, real Karpenter, real Istio, real Prometheus; one file after the other. */
import root from '../../jest.config.mjs';

export default {
  ...root,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/real/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 120_000,
};
