/** No change without a record of it; what reads, goes on, or puts something back waits for none. */
import { expect, test } from 'vitest';
import type { Context } from '@temporalio/activity';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { createGrants } from '../../../../activities/run/authorization/grants.ts';
import { failureOf } from '../../../../activities/runtime/translate-errors.ts';
import { createSessionInterceptor, type SessionDeps } from '../../../../worker/temporal/interceptors/session.ts';
import { GRANT_HEADER } from '../../../../workflows/contract/ids.ts';

const RUN = { namespace: 'default', workflowId: 'eks-upgrade/1/eu-central-1/prod', runId: 'run-1', workflowType: 'upgradeCluster' };
const grants = createGrants([]);
const headers = { [GRANT_HEADER]: defaultPayloadConverter.toPayload(grants.make(RUN)) };
const { workflowId, runId } = RUN;
const restores: SessionDeps['restores'] = {
  ledger: { read: async () => [], append: async () => undefined, notices: async () => [], notice: async () => undefined },
  record: async () => [],
  startOf: async () => new Date(0),
  keptMs: async () => undefined,
};

/** What the activity answers, or why it was not begun. */
async function performed(activityType: string, recordable: () => Promise<void>): Promise<unknown> {
  const info = {
    activityType,
    isLocal: false,
    workflowExecution: { workflowId, runId },
    workflowNamespace: RUN.namespace,
    workflowType: RUN.workflowType,
  };
  const { inbound } = createSessionInterceptor({
    grants,
    parentOf: async () => undefined,
    firstOf: async () => undefined,
    recordable,
    restores,
  })({ info } as Context);
  return await inbound?.execute?.({ args: [], headers }, async () => 'done').catch((error: unknown) => error);
}

const away = (type: 'Unavailable' | 'AccessDenied') => () =>
  Promise.reject(failureOf(type, 'writing s3://records/ready: the connection was refused (ECONNREFUSED)'));

test.each([
  ['Unavailable', false],
  ['AccessDenied', true],
] as const)('O32: a change is not sent while nothing can be recorded (%s), and says so', async (type, nonRetryable) => {
  const failure = await performed('startControlPlaneUpdate', away(type));
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({
    type,
    nonRetryable,
    message:
      'startControlPlaneUpdate was not sent, since it could not be recorded: writing s3://records/ready: the connection was refused (ECONNREFUSED)',
  });
});

test('O32: what reads, keeps up a freeze, lifts it, or stops what is under way is done all the same', async () => {
  for (const activity of ['checkFreeze', 'watchFreeze', 'restoreBudgets', 'appendAudit', 'stopInstanceRefresh', 'cancelRollback'])
    expect([activity, await performed(activity, away('Unavailable'))]).toEqual([activity, 'done']);
});

test('a change is sent where it can be recorded', async () => {
  expect(await performed('startControlPlaneUpdate', async () => undefined)).toBe('done');
});
