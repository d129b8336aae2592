/** Workers, command lines and rehearsals as processes of their own, killed and starved. */
import root from '../../jest.config.mjs';
import { PROCESS_TESTS } from './files.mjs';

export default {
  ...root,
  rootDir: '../..',
  testMatch: PROCESS_TESTS.map((file) => `<rootDir>/${file}`),
  testPathIgnorePatterns: ['/node_modules/'],
};
