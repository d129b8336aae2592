/** What is kept in APIs that only the newer minor serves, on the twin: it is found before the control plane goes back. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRollbackPlanActivities } from '../../../../activities/run/planning/plan-rollback.ts';
import type { PlanResult } from '../../../../domain/plan/model/types.ts';
import { kubernetesRules } from '../../../../rehearsal/world/core/rights.ts';
import { policy } from '../../../support/facts.ts';
import { QUICK } from '../../support/timing.ts';
import { movedUp } from '../../support/moved-up.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

let twin: Twin;

beforeEach(async () => {
  twin = await startTwin('up-and-down');
  twin.built.world.eks.cluster.version = '1.33';
  movedUp(twin, '1.33', 2);
  twin.grant({ kubernetes: () => kubernetesRules() });
});
afterEach(() => twin.close());

async function plan(clients = twin.clients): Promise<PlanResult> {
  const { planRollback } = createRollbackPlanActivities({ ...clients, store: { newest: async () => [], read: async () => undefined } });
  return planRollback({ cluster: twin.ref, policy: policy({ cluster: twin.ref, timing: { ...policy().timing, ...QUICK } }) });
}

/** Of the check alone. */
async function said(clients = twin.clients): Promise<string[]> {
  const result = await plan(clients);
  if (result.kind === 'refused')
    return result.violations.filter(({ rule }) => rule === 'RBK011').map(({ message }) => `refused: ${message}`);
  return result.plan.findings.filter(({ code }) => code === 'RBK011').map(({ status, message }) => `${status}: ${message}`);
}

test('with deploy/’s rights all of it is seen, and nothing is kept: there is a plan', async () => {
  const { store } = twin.built.world;
  // Every cluster of 1.33 has these.
  store.create('servicecidrs', { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'kubernetes' } });
  store.create('ipaddresses', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: '10.100.0.1', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
  });
  expect(await said()).toEqual([]);
});

test('an object of a kind that 1.32 does not have: no plan', async () => {
  twin.built.world.store.create('deviceclasses', {
    apiVersion: 'resource.k8s.io/v1beta1',
    kind: 'DeviceClass',
    metadata: { name: 'gpu.example.com' },
  });
  expect(await said()).toEqual([
    'refused: 1.32 has no such kind, so nobody can read or delete them there, and what relies on them stops. 1 object of DeviceClass (resource.k8s.io): gpu.example.com.',
  ]);
});

test('a range of Service addresses that people have added: people decide', async () => {
  twin.built.world.store.create('servicecidrs', {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: 'more' },
  });
  expect(await said()).toEqual([
    expect.stringMatching(/^unknown: 1\.32 has this kind as v1beta1 alone.*1 object of ServiceCIDR.*: more\.$/),
  ]);
});

test('without the right to list them it is unknown, with what to allow', async () => {
  const rules = kubernetesRules().map(({ resources, ...rule }) => ({
    ...rule,
    ...(resources === undefined ? {} : { resources: resources.filter((resource) => !/^(deviceclasses|resourceclaims)$/.test(resource)) }),
  }));
  twin.grant({ kubernetes: () => rules });
  const clients = twin.freshClients();
  try {
    expect(await said(clients)).toEqual([
      expect.stringMatching(
        /^unknown: Objects of deviceclasses\.resource\.k8s\.io, resourceclaims\.resource\.k8s\.io cannot be seen: .*deviceclasses/,
      ),
    ]);
  } finally {
    await clients.close();
  }
});
