/** Upgrades of real parts with people, and kills, in their middle: minutes each, so a script of their own. */
import real from '../jest.config.mjs';

export default { ...real, rootDir: '../../..', testMatch: ['<rootDir>/test/real/people/*.test.ts'] };
