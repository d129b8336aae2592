/** Karpenter's API, migrated inside an upgrade: both seeds, the worker killed at one write after the other. */
import { expect, test } from 'vitest';
import type { World } from '../../rehearsal/world/world.ts';
import { type Rehearsed, rehearsed, tally } from './support/rehearsal.ts';

const LIMIT_MS = 1_200_000;
const V1 = { 'nodepools.karpenter.sh': ['v1'], 'nodeclaims.karpenter.sh': ['v1'], 'ec2nodeclasses.karpenter.k8s.aws': ['v1'] };

const storedVersions = (world: World): Record<string, unknown> =>
  Object.fromEntries(
    world.store
      .list('customresourcedefinitions')
      .flatMap(({ metadata, status }) => (metadata.name in V1 ? [[metadata.name, status?.storedVersions]] : [])),
  );
const asked = ({ thread }: Rehearsed, start: string): string[] =>
  thread.flatMap((line) => new RegExp(`${start} (karpenter(?:-crd)? v?\\d+\\.\\d+\\.\\d+)`).exec(line)?.[1] ?? []);
const controllerImage = (world: World): string =>
  world.store.get('deployments', 'karpenter', 'kube-system')?.spec.template.spec.containers[0].image;

function expectCompleted(run: Rehearsed): void {
  expect([run.ok, run.why]).toEqual([true, '']);
  expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  expect(run.report.killed.length).toBeGreaterThanOrEqual(3);
  expect(run.report.killed.every(({ recoveredMs }) => recoveredMs !== undefined)).toBe(true);
  expect(storedVersions(run.world)).toEqual(V1);
  expect(controllerImage(run.world)).toContain(':1.0.14');
}

test(
  'v1beta1 to v1 through Flux: each merge asked for once and in order, no node replaced before its time, though the worker is killed at write after write',
  async () => {
    const run = await rehearsed({ scenario: 'seed-003', kills: Array.from({ length: 3 }, () => 'worker@karpenter-migration') });
    expectCompleted(run);
    expect(asked(run, 'Please merge')).toEqual(['karpenter 0.37.7', 'karpenter-crd 0.37.7', 'karpenter-crd 1.0.14', 'karpenter 1.0.14']);
    expect(run.thread.filter((line) => line.includes('Please merge Karpenter’s manifests as v1'))).toHaveLength(1);
    expect(tally(run.report, 'kubernetes').filter((line) => /helmreleases|customresourcedefinitions|ec2nodeclasses/.test(line))).toEqual(
      [],
    );
    const moved = run.report.mutations.find(({ operation }) => operation === 'UpdateClusterVersion')?.at ?? '';
    // Pool batch expires six hours after the beginning, which the gate foretells.
    const early = run.world.journal.events.filter(({ at, text }) => /^Karpenter replaces .* of pool default/.test(text) && at < moved);
    expect(early).toEqual([]);
  },
  LIMIT_MS,
);

test(
  'v1alpha5 to v1 through Terraform: nodes moved by drift, old objects away, leftover webhooks deleted once',
  async () => {
    const run = await rehearsed({ scenario: 'seed-004', kills: Array.from({ length: 4 }, () => 'worker@karpenter-migration') });
    expectCompleted(run);
    expect(asked(run, 'Please install')).toEqual([
      'karpenter v0.31.4',
      'karpenter-crd v0.32.10',
      'karpenter v0.32.10',
      // Once more, with the drift gate on.
      'karpenter v0.32.10',
      'karpenter-crd 0.37.7',
      'karpenter 0.37.7',
      'karpenter-crd 1.0.14',
      'karpenter 1.0.14',
    ]);
    const webhooks = tally(run.report, 'kubernetes').filter((line) => line.startsWith('delete '));
    expect(webhooks).toEqual([...new Set(webhooks)]);
    expect(webhooks).toHaveLength(4);
    for (const plural of ['provisioners', 'awsnodetemplates', 'machines']) expect(run.world.store.list(plural)).toEqual([]);
  },
  LIMIT_MS,
);
