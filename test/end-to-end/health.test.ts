/** Health over whole upgrades: what a person reads in the thread, which gates opened, and what the record keeps. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_CHECKS } from '../../domain/policy/config/health/health-defaults.ts';
import { SCRAPE_CHECKS } from '../../domain/policy/config/health/scrape-checks.ts';
import { rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 720_000;
const NODES = ['UpdateNodegroupVersion'];

describe('health', () => {
  test.each([
    ['small', 'istio'],
    ['small-istio-label', 'karpenter'],
  ])(
    '%s, a healthy run: every usual check but those of %s, which it has not, is live, none fails, and nobody is asked about one',
    async (scenario, lacking) => {
      const run = await rehearsed({ scenario });
      expect([run.ok, run.why]).toEqual([true, '']);
      const thread = run.thread.join('\n');
      const live = /(\d+) checks before the upgrade: (.+)/.exec(thread);
      const has = DEFAULT_CHECKS.filter(({ where }) => where !== lacking).map(({ name }) => name);
      expect(live?.[2]?.split(', ').map((seen) => seen.split(' ')[0])).toEqual(has);
      expect(Number(live?.[1])).toBe(has.length);
      expect(thread).not.toMatch(/BLIND|Health check [a-z]/);
      expect(run.report.gates.filter(({ id }) => /^(health|alerts):/.test(id))).toEqual([]);
      expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    },
    LIMIT_MS,
  );

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
    'P5: an alert that fires parks the run before the node groups, and it continues by itself once the alert is resolved',
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
    "a Prometheus of two clusters: the other one's trouble and an alert that is silenced stop nothing, and every usual query sees",
    async () => {
      const run = await rehearsed({ scenario: 'prometheus-shared' });
      expect([run.ok, run.why]).toEqual([true, '']);
      expect(run.report.gates.filter(({ id }) => /^(health|alerts):/.test(id))).toEqual([]);
      expect(run.thread.join('\n').match(/BLIND|UNKNOWN [a-z-]+:|KubeAPIDown|CheckoutSlow/)).toBeNull();
      expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    },
    LIMIT_MS,
  );

  test(
    'without a Prometheus, checks on CloudWatch: the blind one is said, the failing one opens a gate',
    async () => {
      const run = await rehearsed({ scenario: 'cloudwatch-only' });
      expect([run.ok, run.why]).toEqual([true, '']);
      const told = run.thread.join('\n');
      expect(told).toContain(
        'BLIND api-errors: its query has no series, so nothing is watched by it. AWS/EKS apiserver_request_total_5XX has the dimension ClusterName',
      );
      expect(told.match(/BLIND (?!api-errors)/)).toBeNull();
      expect(told).toMatch(/shop-errors: 0\.2, limit &gt; 0\.05, before the upgrade 0 \(3 of the last \d readings\)/);
      const gates = run.report.gates.filter(({ id }) => /^(health|alerts):/.test(id));
      expect(gates[0]).toMatchObject({ id: 'health:control-plane@1.32#1', choice: 'keep-watching' });
      // Where people are quicker than the fault, the same check fails once more.
      expect(gates.filter(({ id }) => !id.startsWith('health:control-plane@'))).toEqual([]);
      expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    },
    LIMIT_MS,
  );

  test(
    'without a Prometheus, scrapes: every check that they can judge sees, and an API server that fails while the node group is updated opens a gate',
    async () => {
      const run = await rehearsed({ scenario: 'scrapes-only' });
      expect([run.ok, run.why]).toEqual([true, '']);
      const told = run.thread.join('\n');
      const live = /(\d+) checks before the upgrade: (.+)/.exec(told);
      const has = SCRAPE_CHECKS.filter(({ where }) => where !== 'istio').map(({ name }) => name);
      expect(live?.[2]?.split(', ').map((seen) => seen.split(' ')[0])).toEqual(has);
      expect(told.match(/BLIND|UNKNOWN [a-z-]+:/)).toBeNull();
      const gates = run.report.gates.filter(({ id }) => id.startsWith('health:'));
      expect(gates[0]).toMatchObject({ id: 'health:node-groups@1.32#1', choice: 'keep-watching' });
      // What failed a moment ago is still within the look after it.
      expect(gates.filter(({ id }) => !/^health:(node-groups|karpenter-drift)@1\.32#/.test(id))).toEqual([]);
      expect(told).toMatch(/api-server-errors: 0\.\d+, limit &gt; 0\.01, before the upgrade 0 \(3 of the last \d readings\)/);
      expect(run.files).toContain('health-node-groups-1.32-1.png');
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
      expect(told).toMatch(/api-server-latency: [\d.]+, limit &gt; 1, before the upgrade 0\.\d+ \(3 of the last \d readings\)/);
      expect(run.files).toContain('health-control-plane-1.32-1.png');
      expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    },
    LIMIT_MS,
  );
});
