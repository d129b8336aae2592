/** What `belay init` finds out, against the twin. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { chooseScenario } from '../../../rehearsal/play/choose.ts';
import { setStage, type Stage } from '../../../rehearsal/play/stage/stage.ts';
import { discoverClusters } from '../../../worker/local/discover.ts';

const REGION = 'ap-northeast-2';
let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ scenario: chooseScenario('seed-002'), speed: 1, faults: [], temporalUi: () => undefined });
});
afterAll(async () => await stage.close());
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL', stage.aws.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIATEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A Deployment with Karpenter's label beside the one of the scenario. */
function labelled(name: string, replicas: number): void {
  stage.built.world.store.create('deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop', labels: { 'app.kubernetes.io/name': 'karpenter' } },
    spec: { replicas },
  });
}

test('one that is scaled to 0 is not Karpenter; where two run, nobody is taken for it', async () => {
  labelled('a-left-behind', 0);
  expect((await discoverClusters(REGION)).map(({ karpenter }) => karpenter?.managedBy)).toEqual(['argocd']);
  labelled('another', 1);
  expect((await discoverClusters(REGION)).map(({ karpenter }) => karpenter)).toEqual([
    { because: expect.stringMatching(/^2 Deployments are called or labelled karpenter: \S+\/karpenter, shop\/another$/) },
  ]);
});

test('a cluster that may not be described is one that could not be read, and no more', async () => {
  vi.spyOn(stage.built.world.faults, 'meet').mockImplementation((arrival) =>
    arrival.operation === 'DescribeCluster'
      ? { kind: 'refuse', status: 403, code: 'AccessDeniedException', message: 'not authorized to perform: eks:DescribeCluster' }
      : undefined,
  );
  expect(await discoverClusters(REGION)).toEqual([
    {
      name: 'prod-seoul',
      region: REGION,
      account: '444455556666',
      version: 'unknown',
      unreadable: expect.stringMatching(/^describing prod-seoul: .*eks:DescribeCluster/),
    },
  ]);
});
