/** eksup, unmodified, analyses a twin as it would a cluster. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printed, type RunningTwin, startTwin } from '../twin.ts';
import { buildEksup } from '../tools.ts';

let twin: RunningTwin;

beforeAll(async () => {
  twin = await startTwin('seed-000', 60);
});
afterAll(() => twin.close());

const analyze = (...args: string[]): Promise<string> =>
  printed(buildEksup(), ['analyze', '--cluster', twin.cluster, '--target-version', '1.32', ...args], twin.env);

test('analyses the cluster and prints its findings', async () => {
  const found = JSON.parse(await analyze('--format', 'json')) as {
    subnets: { control_plane_ips: unknown[] };
    data_plane: { eks_managed_nodegroups: string[]; self_managed_nodegroups: string[] };
    addons: { version_compatibility: { name: string; finding: { code: string } }[] };
    kubernetes: { min_replicas: { resource: { name: string } }[]; version_skew: unknown[] };
  };
  expect(found.subnets.control_plane_ips).toEqual([]);
  expect(found.data_plane).toMatchObject({ eks_managed_nodegroups: ['default'], self_managed_nodegroups: [] });
  expect(found.addons.version_compatibility.map(({ name, finding }) => [finding.code, name])).toContainEqual(['EKS005', 'vpc-cni']);
  expect(found.kubernetes.min_replicas.map(({ resource }) => resource.name)).toEqual(['atlantis', 'license-server']);
  expect(found.kubernetes.version_skew).toEqual([]);
});

test('finds subnets without free addresses', async () => {
  for (const subnet of twin.stage.built.world.eks.network.subnets) subnet.freeAddresses = 1;
  expect(await analyze()).toContain('EKS001');
});
