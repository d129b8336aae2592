/** The rollback point against the twin: what is written, under which name, and what never is. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRollbackPointActivities } from '../../../../activities/run/planning/rollback-point.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import type { UpgradePolicy } from '../../../../domain/policy/policy.ts';
import { policy } from '../../../support/facts.ts';
import { startTwin, type Twin } from '../../support/twin.ts';

let twin: Twin;
beforeEach(async () => {
  twin = await startTwin('small');
});
afterEach(() => twin.close());

const RUN = { runId: 'run-1', startedAt: '2025-04-29T08:00:00.000Z' };

async function capture(before?: unknown, clients = twin.clients, change: Partial<UpgradePolicy> = {}, again?: true) {
  const written: { name: string; json: string }[] = [];
  const write = async (name: string, json: string) => {
    written.push({ name, json });
    return { location: `/records/${name}.json` };
  };
  const find = async (name: string) => (before === undefined ? undefined : { json: before, stamp: '1', location: `/records/${name}.json` });
  const { captureRollbackPoint } = createRollbackPointActivities({ ...clients, store: { write, find } });
  const asked = { cluster: twin.ref, run: RUN, policy: policy({ cluster: twin.ref, ...change }) };
  const told = await captureRollbackPoint(again === undefined ? asked : { ...asked, again });
  if (before !== undefined) return { told, name: '', json: '', point: written.length === 0 ? before : JSON.parse(written[0]?.json ?? '') };
  const [file] = written;
  if (file === undefined || written.length > 1) throw new Error(`${written.length} files were written`);
  return { told, ...file, point: JSON.parse(file.json) };
}

test('versions, selector terms and budgets as they are; a configuration without its secrets', async () => {
  const { addOns } = twin.built.world.eks;
  const coredns = addOns.find(({ name }) => name === 'coredns');
  if (coredns === undefined) throw new Error('the scenario has a coredns');
  coredns.configurationValues = JSON.stringify({ replicaCount: 4, webhook: { password: 'hunter2-hunter2' } });
  const { told, name, json, point } = await capture();
  expect(name).toBe('rollback-point_111122223333_eu-central-1_small_2025-04-29T08-00-00-000Z_run-1');
  expect(point).toMatchObject({
    runId: 'run-1',
    controlPlane: '1.31',
    addOns: expect.arrayContaining([
      expect.objectContaining({ name: 'coredns', configuration: { replicaCount: 4, webhook: { password: '[left out]' } } }),
    ]),
    karpenter: { version: '1.2.1' },
    nodeClasses: [{ name: 'default', amiSelectorTerms: [{ alias: 'al2023@latest' }] }],
    nodePools: [{ name: 'default', budgets: [{ nodes: '1' }] }],
  });
  expect(json).not.toContain('hunter2');
  expect(told.leftOut).toContain('add-on coredns: value of webhook.password, which may be a secret');
  expect(told.leftOutCount).toBeGreaterThan(0);
  expect(twin.built.world.journal.mutations.filter(({ accepted }) => accepted)).toEqual([]);
});

test('a configuration that is no YAML is left out whole: the parser would quote it', async () => {
  const coredns = twin.built.world.eks.addOns.find(({ name }) => name === 'coredns');
  if (coredns === undefined) throw new Error('the scenario has a coredns');
  coredns.configurationValues = 'password: "hunter2-hunter2\n  : [';
  const { told, json } = await capture();
  expect(json).not.toContain('hunter2');
  expect(told.leftOut).toContain('configuration of add-on coredns: not read, it is no YAML');
});

test('RA1: role and pod identities of an add-on are recorded beside its configuration', async () => {
  const coredns = twin.built.world.eks.addOns.find(({ name }) => name === 'coredns');
  if (coredns === undefined) throw new Error('the scenario has a coredns');
  const roleArn = 'arn:aws:iam::111122223333:role/dns';
  Object.assign(coredns, { serviceAccountRoleArn: roleArn, podIdentityAssociations: [{ serviceAccount: 'coredns', roleArn }] });
  const { point } = await capture();
  expect(point.addOns).toContainEqual(
    expect.objectContaining({ name: 'coredns', role: roleArn, podIdentities: [{ serviceAccount: 'coredns', role: roleArn }] }),
  );
});

test.each<[string, (twin: Twin) => void, string]>([
  ['that Helm has not marked', () => undefined, 'no Helm release has marked its Deployment'],
  [
    'whose release is gone',
    ({ built: { world } }) =>
      world.store.update('deployments', 'karpenter', 'kube-system', ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, 'meta.helm.sh/release-name': 'karpenter' };
        metadata.labels = { ...metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' };
      }),
    'there is no release kube-system/karpenter',
  ],
  [
    'that is gone itself',
    ({ built: { world } }) => world.store.delete('deployments', 'karpenter', 'kube-system'),
    'no Helm release has marked its Deployment',
  ],
])('a Karpenter %s has no release to come back to, and that is said', async (_what, change, why) => {
  // Inspection has found it; by the time its Deployment is read, it is as it is.
  const { clusterPorts } = twin.clients;
  const clients = {
    ...twin.clients,
    clusterPorts: async (ref: ClusterRef) => {
      const ports = await clusterPorts(ref);
      const get: typeof ports.kubernetes.get = async (resource) => {
        if (resource.plural === 'deployments' && resource.name === 'karpenter') change(twin);
        return await ports.kubernetes.get(resource);
      };
      return { ...ports, kubernetes: { ...ports.kubernetes, get } };
    },
  };
  const { told, point } = await capture(undefined, clients, { managedBy: { ...policy().managedBy, karpenter: 'helm' } });
  expect(point.releases).toEqual([]);
  expect(told.leftOut).toEqual([`Helm release of kube-system/karpenter: not read, ${why}`]);
});

test('of an add-on that may not be read any more it is said; of one that is not EKS’s own nothing is asked', async () => {
  const { addOns } = twin.built.world.eks;
  addOns.splice(0, addOns.length, ...addOns.filter(({ name }) => name !== 'coredns'));
  // Inspection reads each of them once.
  let readCount = 0;
  twin.grant({ aws: (action) => action !== 'eks:DescribeAddon' || (readCount += 1) <= addOns.length });
  const { told, point } = await capture();
  expect(point.addOns).toEqual([
    { name: 'kube-proxy', version: 'v1.31.3-eksbuild.2', managed: true },
    { name: 'coredns', version: 'v1.11.3-eksbuild.1', managed: false },
  ]);
  expect(told.leftOut.filter((text) => text.includes('add-on'))).toEqual([
    expect.stringMatching(/^role, configuration and pod identities of add-on kube-proxy: not read, .*AccessDenied/),
  ]);
});

test('RS1: done again when the cluster has moved, it keeps what was captured first and writes nothing', async () => {
  const first = await capture();
  twin.built.world.eks.cluster.version = '1.32';
  const again = await capture(first.point);
  expect([again.point, again.told]).toEqual([first.point, first.told]);
  expect(again.point.controlPlane).toBe('1.31');
});

test('a run that had to wait before its first change captures what is there by then', async () => {
  const first = await capture();
  twin.built.world.eks.cluster.version = '1.32';
  const { point } = await capture(first.point, twin.clients, {}, true);
  expect([first.point.controlPlane, point.controlPlane]).toEqual(['1.31', '1.32']);
});
