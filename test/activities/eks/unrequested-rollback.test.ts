/** A control plane that somebody takes back, against the twin's EKS. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { createEksActivities } from '../../../activities/eks/index.ts';
import type { EksUpdate } from '../../../rehearsal/aws/eks/state.ts';
import { startTwin, type Twin } from '../support/twin.ts';

let twin: Twin;
beforeEach(async () => {
  twin = await startTwin('up-and-down');
  // At 600 times the speed EKS would end an update between two looks.
  twin.built.stop();
});
afterEach(() => twin.close());

const eks = () => createEksActivities(twin.clients);
const found = () => eks().findUnrequestedRollback({ cluster: twin.ref, at: '1.32' });

/** Of a cluster of 1.32; begun a minute ago. */
function goesBack(change: Partial<EksUpdate> = {}): string {
  const { eks: state, clock } = twin.built.world;
  const createdAtMs = clock.nowMs() - 60_000;
  const params = [{ type: 'Version', value: '1.31' }];
  state.updates.push({
    id: 'stale',
    resource: { kind: 'cluster' },
    type: 'VersionRollback',
    status: 'InProgress',
    params,
    createdAtMs,
    errors: [],
    ...change,
  });
  return new Date(createdAtMs).toISOString();
}

test('nobody takes it back', async () => {
  expect(await found()).toEqual({});
  await expect(eks().awaitUnrequestedRollback({ cluster: twin.ref, at: '1.32', known: [] })).rejects.toThrow(
    'watching up-and-down: nobody takes it back from 1.32',
  );
});

test('it is no error that nobody does: Temporal counts none, and looks again', async () => {
  const failure: unknown = await eks()
    .awaitUnrequestedRollback({ cluster: twin.ref, at: '1.32', known: [] })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ category: 'BENIGN', nonRetryable: false });
});

test('a rollback that runs: which, to where, since when; once people know of it, it is not said again', async () => {
  goesBack();
  const { descent } = await found();
  expect(descent).toMatchObject({ updateId: 'stale', to: '1.31', ended: false });
  expect(await eks().awaitUnrequestedRollback({ cluster: twin.ref, at: '1.32', known: [] })).toEqual(descent);
  await expect(eks().awaitUnrequestedRollback({ cluster: twin.ref, at: '1.32', known: ['stale'] })).rejects.toThrow('nobody takes it back');
});

test('one that has ended', async () => {
  goesBack({ status: 'Successful' });
  twin.built.world.eks.cluster.version = '1.31';
  expect(await found()).toMatchObject({ descent: { updateId: 'stale', to: '1.31', ended: true } });
});

test('one that has failed leaves the control plane where it was', async () => {
  goesBack({ status: 'Failed' });
  expect(await found()).toEqual({});
});

test('RA21: an update still runs at the second look, however long after the first one that is', async () => {
  goesBack();
  expect((await found()).descent).toMatchObject({ ended: false });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await expect(eks().awaitUnrequestedRollback({ cluster: twin.ref, at: '1.32', known: ['stale'] })).rejects.toThrow(
    'nobody takes it back from 1.32',
  );
});
