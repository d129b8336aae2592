/** Health over whole upgrades: what a person reads in the thread, which gates opened, and what the record keeps. */
import { describe, expect, test } from '@jest/globals';
import { rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 240_000;
const NODES = ['UpdateNodegroupVersion'];

describe('health', () => {
  test(
    'a query that sees nothing is said in the thread and at the first gate, with what would be right; the usual checks all see',
    async () => {
      const run = await rehearsed({ scenario: 'health-blind' });
      expect([run.ok, run.why]).toEqual([true, '']);
      const blind = run.thread.filter((text) => text.includes('BLIND karpenter-launches'));
      // The note, and the gate.
      expect(blind.length).toBeGreaterThanOrEqual(2);
      expect(blind[0]).toContain('Use sum(increase(karpenter_nodeclaims_disrupted_total');
      expect(run.thread.join('\n').match(/BLIND (?!karpenter-launches)/)).toBeNull();
      expect(run.report.gates.filter(({ id }) => /^(health|alerts):/.test(id))).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    'P5: an alert that fires parks the run before the node groups, and it goes on by itself when the alert is resolved',
    async () => {
      const run = await rehearsed({ scenario: 'alert-firing' });
      expect([run.ok, run.why]).toEqual([true, '']);
      const parked = run.report.gates.filter(({ id }) => id.startsWith('alerts:'));
      expect(parked.map(({ id, choice }) => [id, choice])).toEqual([['alerts:node-groups@1.32#1', 'withdrawn']]);
      const told = run.thread.find((text) => text.includes('KubePersistentVolumeFillingUp'));
      expect(told).toContain('KubePersistentVolumeFillingUp (critical, shop)');
      const moved = run.report.mutations.filter(({ operation, accepted }) => accepted && NODES.includes(operation));
      expect(moved).toHaveLength(1);
      expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    },
    LIMIT_MS,
  );

  test(
    'an API server that is slow during its own update alone opens a gate; what EKS does goes on, the next step waits',
    async () => {
      const run = await rehearsed({ scenario: 'api-latency' });
      expect([run.ok, run.why]).toEqual([true, '']);
      const gates = run.report.gates.filter(({ id }) => id.startsWith('health:'));
      expect(gates.map(({ id, choice }) => [id, choice])).toEqual([['health:control-plane@1.32#1', 'keep-watching']]);
      const told = run.thread.find((text) => text.includes('Health check api-server-latency fails during'));
      expect(told).toMatch(/api-server-latency: [\d.]+, limit &gt; 1, before the upgrade 0\.\d+ \(3 of the last \d looks\)/);
      expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    },
    LIMIT_MS,
  );
});
