/** `belay snapshot show` on a terminal. */
import { expect, test } from 'vitest';
import { renderSnapshot } from '../../../cli/render/snapshot.ts';
import type { SnapshotSummary } from '../../../domain/facts/snapshot/summary.ts';

const SUMMARY: SnapshotSummary = {
  format: 'belay-snapshot',
  version: 1,
  takenAt: '2026-11-26T12:00:00.000Z',
  endedAt: '2026-11-26T12:00:09.000Z',
  belay: '0.9.0',
  cluster: { name: 'shop-main', eksName: 'main', account: '111122223333', region: 'eu-west-1' },
  kubernetes: { minor: '1.33', gitVersion: 'v1.33.5-eks-113cf36' },
  anonymized: false,
  ownerKeys: ['team', 'acme.example/squad'],
  bytes: 9_216,
  objects: [{ type: 'v1 pods', count: 12 }],
  calls: [{ service: 'eks', count: 21 }],
  metrics: [{ query: 'sum(up)', count: 1 }],
  absent: ['karpenter.sh/v1 nodepools'],
  gaps: [],
  namespaces: ['default', 'shop'],
};

test('F38: which cluster it is of by either name, and what is in it', () => {
  expect(renderSnapshot(SUMMARY)).toBe(`Snapshot of shop-main (main in EKS, account 111122223333, eu-west-1), Kubernetes 1.33

Taken       2026-11-26 12:00 UTC to 2026-11-26 12:00 UTC
By          Belay 0.9.0, format 1
Size        9 kB
Names       real: accounts, namespaces, workloads, nodes, images
Teams       by team, acme.example/squad
AWS         eks 21
Prometheus  1 sample of sum(up)
Namespaces  default, shop

          12  v1 pods

Not served  karpenter.sh/v1 nodepools

It is complete.

Not in it: Secrets, ConfigMap data, environment variables, arguments, commands, user data, add-on configuration values.`);
});
