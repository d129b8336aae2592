/** The check activities on a whole cluster: a way back is judged as one, and skew counts nodes that stay. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCheckActivities } from '../../../../activities/observe/checks/index.ts';
import { verdictOf } from '../../../../domain/core/findings.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes } from '../../../support/fake-kubernetes.ts';
import { nodeObject } from '../../../support/kubernetes-objects.ts';
import { startFakeEks } from '../../support/fake-eks.ts';
import { QUICK } from '../../support/timing.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

const readinessOf = () => ({ waivers: [], optional: false });

describe('a control plane that is back at 1.31, with a node group that never left 1.30', () => {
  let twin: Twin;
  beforeAll(async () => {
    twin = await startTwin('small');
    for (const group of twin.built.world.eks.nodeGroups) group.version = '1.30';
  });
  afterAll(() => twin.close());

  test.each([
    {
      what: 'an upgrade to 1.32 has failed for good',
      input: { to: '1.32' },
      is: ['required-findings', 'EKS105: The control plane is back at 1.31; this run did not request it.'],
    },
    { what: 'a rollback to 1.31 has arrived', input: { to: '1.31', back: true as const }, is: ['ready', undefined] },
  ])('$what', async ({ input, is }) => {
    const { validateCluster } = createCheckActivities({ ...twin.clients, readinessOf });
    const { findings } = await validateCluster({ cluster: twin.ref, timing: QUICK, policy: policy(), ...input });
    const [first] = findings.map(({ code, message }) => `${code}: ${message}`);
    expect([verdictOf(findings), first]).toEqual(is);
  });
});

test('skew: nodes by minor and whose they are; those that go are left out, and one that has not said its version is unknown', async () => {
  const eks = await startFakeEks();
  const port = new FakeKubernetes();
  const own = nodeObject('own', '1.31');
  for (const node of [
    nodeObject('a', '1.32'),
    nodeObject('b', '1.32'),
    nodeObject('going', '1.31', { deleting: true }),
    { ...own, metadata: { name: 'own' } },
    { ...nodeObject('coming', '1.32'), status: {} },
  ])
    port.put('v1', 'nodes', node);
  const unused = (): never => {
    throw new Error('not asked');
  };
  const { readSkew } = createCheckActivities({ ...depsOf(port), aws: () => eks.aws, account: unused, readinessOf });
  expect(await readSkew({ cluster: CLUSTER })).toEqual({
    controlPlane: '1.32',
    updating: false,
    nodes: { '1.32': 2, '1.31': 1, unknown: 1 },
    karpenterNodes: { '1.32': 2, unknown: 1 },
  });
  await eks.close();
});
