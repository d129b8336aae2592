/** Suites on real parts: a real control plane, real Karpenter, real Istio, real Prometheus; one file after the other, but for forecasts, which wait more than they compute. */
import { suite } from '../support/suite.mjs';

/** `npm run test:real -- forecast`: 40 minutes of its own, and part of `npm run test:release`. */
const forecast = process.argv.some((argument) => argument.includes('forecast'));

export default suite({
  hasProgram: true,
  include: [forecast ? 'test/real/forecast/*.test.ts' : 'test/real/*.test.ts'],
  limitMs: 120_000,
  workers: forecast ? 2 : 1,
});
