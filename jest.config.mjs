import { fileURLToPath } from 'node:url';
import { PROCESS_TESTS } from './test/processes/files.mjs';

/** One configuration; suites that need more than Node and the Temporal CLI have projects of their own (see package.json scripts). */
// Tests read plain text; on CI machines colours would be on.
process.env.NO_COLOR = '1';
// Servers in Go (Temporal, the real parts) live for minutes and have memory to spare: they collect garbage less often.
process.env.GOGC ??= '800';

export default {
  testEnvironment: fileURLToPath(new URL('test/support/environment.mjs', import.meta.url)),
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  // What npm pack has compiled.
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/attacks/',
    '<rootDir>/test/workflows/',
    '<rootDir>/test/browser/',
    '<rootDir>/test/timers/',
    '<rootDir>/test/end-to-end/',
    '<rootDir>/test/packed/',
    '<rootDir>/test/contract/real/',
    '<rootDir>/test/real/',
    '<rootDir>/test/production/',
    '<rootDir>/test/s3/',
    ...PROCESS_TESTS.map((file) => `<rootDir>/${file}`),
  ],
  testTimeout: 60_000,
};
