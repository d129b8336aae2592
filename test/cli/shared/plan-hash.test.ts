import { expect, test } from 'vitest';
import { isPlan, SHOWN_CHARACTERS } from '../../../cli/shared/plan-hash.ts';

const HASH = 'f1f091ce1dc13cdcb66439482f14a19bef5f687755ac733ab264fcb7f2a770e5';

test('--plan takes the hash as screens show it, and no less', () => {
  expect(isPlan(HASH, HASH)).toBe(true);
  expect(isPlan(HASH, HASH.slice(0, SHOWN_CHARACTERS))).toBe(true);
  expect(isPlan(HASH, HASH.slice(0, SHOWN_CHARACTERS - 1))).toBe(false);
  expect(isPlan(HASH, '')).toBe(false);
  expect(isPlan(HASH, `0${HASH.slice(1)}`)).toBe(false);
  expect(isPlan(undefined, HASH)).toBe(false);
});
