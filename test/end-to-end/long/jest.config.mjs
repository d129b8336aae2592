/** The longest plays: what is killed at every step of a migration, of a canary, and of choices that people seldom make; changes by Git and by others' node tools. */
import ends from '../jest.config.mjs';

export default { ...ends, rootDir: '../../..', testMatch: ['<rootDir>/test/end-to-end/long/*.test.ts'] };
