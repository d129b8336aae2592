/** What is known of an audit record elsewhere says whether the file is the one that was written. */
import { describe, expect, test } from 'vitest';
import { contradiction, parseHead } from '../../../domain/gates/audit-anchor.ts';
import { sha256 } from '../../../domain/core/sha256.ts';

const entries = [1, 2, 3].map((seq) => ({ seq, hash: sha256(`entry ${seq}`) }));
const known = (seq: number, hash = sha256(`entry ${seq}`)): { seq: number; hash: string; from: string } => ({
  seq,
  hash,
  from: 'Temporal',
});

describe('an audit record beside its anchor', () => {
  test.each([
    ['it holds', known(3), undefined],
    ['it has gone on since', known(2), undefined],
    ['by the short hash that Slack shows', known(3, sha256('entry 3').slice(0, 12)), undefined],
    ['its tail is cut off', known(5), 'its tail is cut off: it ends with entry 3, and Temporal knows of entry 5'],
    ['it was rewritten', known(2, sha256('another')), 'it was rewritten: entry 2 is not the one that Temporal knows'],
    ['a hash too short to tell', known(2, sha256('entry 2').slice(0, 4)), 'it was rewritten: entry 2 is not the one that Temporal knows'],
  ])('RS12: %s', (_what, anchor, says) => {
    expect(contradiction(entries, anchor)).toBe(says);
  });

  test('RS12: nothing is added once the run has ended, and a record that is gone is missed', () => {
    expect(contradiction(entries, { ...known(2), final: true })).toBe(
      'entries were added after the run had ended: Temporal knows of 2, and it has 3',
    );
    expect(contradiction([], known(3))).toBe('it is missing: Temporal knows of entry 3');
  });

  test('RS12: what a message in Slack shows is read as it is copied', () => {
    expect(parseHead('record 12 · 3f2a9c01b7e4')).toEqual({ seq: 12, hash: '3f2a9c01b7e4' });
    expect(parseHead('12 3F2A9C01B7E4')).toEqual({ seq: 12, hash: '3f2a9c01b7e4' });
    expect(parseHead('record 12 · 3f2a')).toBeUndefined();
    expect(parseHead('hello')).toBeUndefined();
  });
});

test('RS13: SHA-256 is that of FIPS 180-4, over UTF-8', () => {
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
