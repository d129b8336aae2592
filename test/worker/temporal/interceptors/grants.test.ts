/** Whatever changes something is done for a run whose requester was proved, and for nobody else. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { createGrants, type GrantedRun } from '../../../../activities/run/authorization/grants.ts';
import { grantHere, type ParentOf, rememberingParents, requireGrant } from '../../../../worker/temporal/interceptors/grants.ts';
import { GRANT_HEADER } from '../../../../workflows/contract/ids.ts';

const key = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
const [A, B] = [key('a'), key('b')];
const RUN: GrantedRun = {
  namespace: 'default',
  workflowId: 'eks-upgrade/1/eu-central-1/prod',
  runId: 'run-1',
  workflowType: 'upgradeCluster',
};
const STEP_ID = `${RUN.workflowId}/control-plane@1.33`;

type Info = Parameters<typeof requireGrant>[0];
const infoOf = ({ namespace, workflowId, runId, workflowType }: GrantedRun, change: Partial<Info> = {}): Info => ({
  workflowExecution: { workflowId, runId },
  workflowNamespace: namespace,
  workflowType,
  activityType: 'startControlPlaneUpdate',
  isLocal: false,
  ...change,
});
const STEP = infoOf({ ...RUN, workflowId: STEP_ID, runId: 'step-run', workflowType: 'controlPlane' });
const headersOf = (grant: string): Record<string, Payload> => ({ [GRANT_HEADER]: defaultPayloadConverter.toPayload(grant) });
const parents: ParentOf = async ({ runId }) => (runId === 'step-run' ? { workflowId: RUN.workflowId, runId: RUN.runId } : undefined);

describe('grants', () => {
  const grants = createGrants([A]);
  const grant = grants.make(RUN);

  test('RS1: a step of the run that has it, and the run itself, may change something', async () => {
    await requireGrant(STEP, headersOf(grant), { grants, parentOf: parents, firstOf: async () => undefined });
    await requireGrant(infoOf(RUN), headersOf(grant), { grants, parentOf: parents, firstOf: async () => undefined });
    // The key was changed meanwhile.
    await requireGrant(STEP, headersOf(grant), { grants: createGrants([B, A]), parentOf: parents, firstOf: async () => undefined });
  });

  test('RS1: a campaign goes on with its grant in later runs of its chain, and whoever starts it anew has none', async () => {
    const first = { namespace: RUN.namespace, workflowId: 'eks-campaign/to-1-34', runId: 'first', workflowType: 'runCampaign' };
    const headers = headersOf(grants.make(first));
    const later = infoOf({ ...first, runId: 'later' }, { activityType: 'startMember' });
    const firstOf = (runId: string | undefined) => async () => (runId === undefined ? undefined : { workflowId: first.workflowId, runId });
    await requireGrant(infoOf(first), headers, { grants, parentOf: parents, firstOf: firstOf('first') });
    await requireGrant(later, headers, { grants, parentOf: parents, firstOf: firstOf('first') });
    for (const other of ['another', undefined])
      await expect(requireGrant(later, headers, { grants, parentOf: parents, firstOf: firstOf(other) })).rejects.toMatchObject({
        message: expect.stringContaining('which has not started it'),
        type: 'AccessDenied',
      });
  });

  const fake: ParentOf = async () => ({ workflowId: RUN.workflowId, runId: 'run-of-somebody' });
  test.each<[string, Info, Record<string, Payload>, ParentOf, string]>([
    ['no grant', STEP, {}, parents, 'it carries no grant'],
    ['a made-up grant', STEP, headersOf('a:upgradeCluster:run-1:AAAA'), parents, 'no key of this worker made it'],
    ['a grant by another key', STEP, headersOf(createGrants([B]).make(RUN)), parents, 'no key of this worker made it'],
    ['one made without keys', STEP, headersOf(createGrants([]).make(RUN)), parents, 'no key of this worker made it'],
    [
      'one of another cluster',
      infoOf({ ...RUN, workflowId: 'eks-upgrade/1/eu-central-1/dev' }),
      headersOf(grant),
      parents,
      'no key of this worker made it',
    ],
    ['one of another namespace', { ...STEP, workflowNamespace: 'other' }, headersOf(grant), parents, 'no key of this worker made it'],
    [
      'one of a run that may not change anything',
      STEP,
      headersOf(grants.make({ ...RUN, workflowType: 'checkCluster' })),
      parents,
      'no key of this worker made it',
    ],
    ['a recorded grant, and a parent of his own', STEP, headersOf(grant), fake, 'which has not started it'],
    [
      'a recorded grant, and no parent',
      { ...STEP, workflowExecution: { workflowId: STEP_ID, runId: 'x' } },
      headersOf(grant),
      parents,
      'which has not started it',
    ],
    ['a recorded grant, under the run’s id', infoOf({ ...RUN, runId: 'x' }), headersOf(grant), parents, 'which has not started it'],
  ])('RS1: %s changes nothing', async (_what, info, headers, parentOf, why) => {
    await expect(requireGrant(info, headers, { grants, parentOf, firstOf: async () => undefined })).rejects.toMatchObject({
      message: expect.stringContaining(why),
      type: 'AccessDenied',
      nonRetryable: true,
    });
  });

  test('RS1: only the worker that runs the run’s own code makes one, and for runs alone', () => {
    expect(grantHere(grants, infoOf(RUN, { isLocal: true }))).toBe(grant);
    expect(grantHere(grants, infoOf(RUN))).toBeUndefined();
    expect(grantHere(grants, infoOf({ ...RUN, workflowType: 'checkCluster' }, { isLocal: true }))).toBeUndefined();
  });

  test('RS1: who started an execution is asked once, and again where it could not be read', async () => {
    let asked = 0;
    const parentOf = rememberingParents(async () => {
      asked += 1;
      if (asked === 1) throw new Error('away');
      return { workflowId: RUN.workflowId, runId: RUN.runId };
    });
    const step = { workflowId: STEP_ID, runId: 'step-run' };
    await expect(parentOf(step)).rejects.toThrow('away');
    await parentOf(step);
    await parentOf(step);
    expect(asked).toBe(2);
  });
});
