/** What a reading that fails becomes: something unknown with its reason, or an end of the activity; never an absence. */
import { CancelledFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { createReader } from '../../../activities/runtime/reader.ts';
import { type OnTransient, see } from '../../../activities/runtime/see.ts';
import { failureOf } from '../../../activities/runtime/translate-errors.ts';
import { rejection } from '../../support/thrown.ts';

const DENIED = failureOf('AccessDenied', 'listing nodes: forbidden');
const MISTAKEN = failureOf('Configuration', "the AWS region is missing: set the cluster's region in belay.yaml");
const AWAY = failureOf('Unavailable', 'listing nodes: no answer in time');

/** undefined: it is noted and the rest goes on. */
const thrownBy = async (error: Error, onTransient: OnTransient): Promise<unknown[]> => {
  const read = (): Promise<string[]> => Promise.reject(error);
  return [
    await rejection(see('listing nodes', read, onTransient)),
    await rejection(createReader(onTransient).attempt({ part: 'nodes', what: 'nodes' }, 'list nodes', read, [])),
  ];
};

test.each<[string, Error, OnTransient]>([
  ['a wrong setting', MISTAKEN, 'throw'],
  ['a wrong setting, whatever transient failures mean', MISTAKEN, 'unknown'],
  ['no answer where all of it is tried again', AWAY, 'throw'],
])('%s ends the look', async (_what, error, onTransient) => {
  expect(await thrownBy(error, onTransient)).toEqual([error, error]);
});

test.each<[string, Error, OnTransient]>([
  ['a missing right', DENIED, 'throw'],
  ['a missing right', DENIED, 'unknown'],
  ['no answer where the rest goes on', AWAY, 'unknown'],
])('%s is noted, and the look goes on', async (_what, error, onTransient) => {
  expect(await thrownBy(error, onTransient)).toEqual([undefined, undefined]);
});

test('a look that is cancelled has not failed', async () => {
  const cancelled = new CancelledFailure('the run was aborted');
  expect(await rejection(see('listing nodes', () => Promise.reject(cancelled)))).toBe(cancelled);
});

describe('what could not be read', () => {
  test('says why, and which right it needs', async () => {
    const reader = createReader('unknown');
    const read = (error: Error) => reader.attempt({ part: 'nodes', what: 'nodes' }, 'list nodes', () => Promise.reject(error), ['none']);
    expect(await read(DENIED)).toEqual(['none']);
    expect(reader.unknowns).toEqual([
      { part: 'nodes', what: 'nodes', why: 'not permitted: it needs list nodes (listing nodes: forbidden)', denied: true },
    ]);
    expect(await see('listing nodes', () => Promise.reject(AWAY))).toEqual({
      ok: false,
      unseen: { kind: 'failed', why: 'listing nodes: no answer in time' },
    });
  });
});
