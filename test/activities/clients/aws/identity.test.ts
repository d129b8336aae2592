/** A cluster that was destroyed and made anew under its name, against the twin: nothing of an old run is looked at or changed there. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClusterClients, createClusterClients } from '../../../../activities/clients/clusters.ts';
import { describeCluster } from '../../../../activities/clients/aws/eks-api.ts';
import { identityOf } from '../../../../activities/clients/aws/identity.ts';
import { identityProof } from '../../../../activities/clients/aws/identity-proof.ts';
import { BELAY_ACCESS_KEY } from '../../../../rehearsal/world/core/rights.ts';
import { findScenario } from '../../../../rehearsal/scenarios/index.ts';
import { setStage, type Stage } from '../../../../rehearsal/play/stage/stage.ts';
import { policy } from '../../../support/facts.ts';
import { quickTiming } from '../../../support/fake-kubernetes.ts';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';

const { cluster: ref } = findScenario('small');
const REASONS = ['Drifted'];
const GUARD = 'eks-upgrade/1/r/small/freeze-drift@1.32';
let stage: Stage;
let clients: ClusterClients;

beforeAll(async () => {
  stage = await setStage({ scenario: findScenario('small'), speed: 60, faults: [], temporalUi: () => undefined });
  Object.assign(process.env, { AWS_ENDPOINT_URL: stage.aws.url, AWS_ACCESS_KEY_ID: BELAY_ACCESS_KEY, AWS_SECRET_ACCESS_KEY: 'rehearsal' });
  clients = createClusterClients({ settings: () => ({ ref }) });
});
afterAll(async () => {
  await clients.close();
  await stage.close();
});

const rebuild = (): void => void (stage.built.world.eks.cluster.createdAtMs = stage.built.world.clock.nowMs());

test('RA13: after a rebuild the guard neither looks nor freezes, and says which cluster it meant; a new run is let in', async () => {
  const identity = identityOf(await describeCluster(clients.aws(ref), ref)) ?? '';
  expect(identity).toMatch(/^\d{4}-\S+Z [0-9A-F]{32}$/);
  const known = { ...ref, identity };
  const first = createKarpenterActivities({ clusterPorts: clients.clusterPorts, policyOf: () => policy() });
  const freeze = (by: typeof first) => by.freezeDrift({ cluster: known, guard: GUARD, reasons: REASONS });
  expect((await freeze(first)).pools).not.toEqual([]);

  rebuild();
  const written = () => stage.built.world.store.list('nodepools').map(({ metadata: { annotations }, spec }) => ({ annotations, spec }));
  const before = JSON.stringify(written());
  const replaced = {
    type: 'ClusterReplaced',
    nonRetryable: true,
    message: expect.stringContaining(`this run began on the one that was created at ${identity.split(' ')[0]}`),
  };
  await expect(describeCluster(clients.aws(known), known)).rejects.toMatchObject(replaced);
  // What was proved a moment ago is believed for a minute: this worker is another one.
  const others = createClusterClients({ settings: () => ({ ref }) });
  const activities = createKarpenterActivities({ clusterPorts: others.clusterPorts, policyOf: () => policy() });
  await expect(activities.setDriftPace({ cluster: known, nodes: '0', reasons: REASONS })).rejects.toMatchObject(replaced);
  await expect(freeze(activities)).rejects.toMatchObject(replaced);
  await expect(activities.watchFreeze({ cluster: known, timing: quickTiming(), nodes: '0', reasons: REASONS })).rejects.toMatchObject(
    replaced,
  );
  const recover = { cluster: known, timing: quickTiming(), nodes: '0', reasons: REASONS, guard: GUARD, recover: true } as const;
  await expect(activities.watchFreeze(recover)).rejects.toMatchObject(replaced);
  expect(JSON.stringify(written())).toBe(before);

  const anew = { ...ref, identity: identityOf(await describeCluster(clients.aws(ref), ref)) ?? '' };
  await expect(activities.checkFreeze({ cluster: anew, nodes: '0', reasons: REASONS })).resolves.toBeDefined();
  await others.close();
});

test('RA13: a hundred changes ask EKS once, and without a known identity nobody asks', async () => {
  const aws = clients.aws(ref);
  let asked = 0;
  const eks = new Proxy(aws.eks, {
    get(target, name) {
      if (name === 'send') asked += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const counting = { ...aws, eks };
  const known = { ...ref, identity: identityOf(await describeCluster(aws, ref)) ?? '' };
  const proof = identityProof(counting, known);
  await Promise.all(Array.from({ length: 100 }, () => proof('change')));
  expect(asked).toBe(1);
  await identityProof(counting, ref)('change');
  expect(asked).toBe(1);
});

test('RA13: while EKS does not answer, a proof of the last half hour holds, and no longer', async () => {
  const aws = clients.aws(ref);
  const known = { ...ref, identity: identityOf(await describeCluster(aws, ref)) ?? '' };
  let nowMs = 0;
  let isDown = false;
  const eks = new Proxy(aws.eks, {
    get(target, name) {
      if (name === 'send' && isDown) return () => Promise.reject(new Error('no route to EKS'));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const proof = identityProof({ ...aws, eks }, known, () => nowMs);
  await proof('look');
  isDown = true;
  nowMs = 20 * 60_000;
  await proof('look');
  nowMs = 31 * 60_000;
  await expect(proof('look')).rejects.toThrow('no route to EKS');
});
