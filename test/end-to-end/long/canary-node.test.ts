/** A node that only shows that the new controller launches nodes: it comes once and goes again, though the worker dies as it is made and as it is deleted. */
import { expect, test } from 'vitest';
import type { World } from '../../../rehearsal/world/world.ts';
import { type Rehearsed, rehearsed } from '../support/rehearsal.ts';

const LIMIT_MS = 900_000;

/** Accepted writes to NodeClaims, in their order. */
const claimWrites = ({ report }: Rehearsed): string[] =>
  report.mutations.flatMap(({ operation, accepted }) => (/nodeclaims/.test(operation) && accepted ? [operation] : []));
const canaries = ({ store }: World): unknown[] =>
  [...store.list('nodeclaims'), ...store.list('nodes')].filter(({ metadata }) => metadata.labels?.['belay.dev/canary'] !== undefined);
const saying = ({ thread }: Rehearsed, pattern: RegExp): string[] => thread.filter((line) => pattern.test(line));

test(
  'launched once after the change and gone before the control plane moves, the worker killed at each write',
  async () => {
    // A dead worker's twelve seconds are under the hour after which Karpenter itself takes the node away.
    const run = await rehearsed({
      scenario: 'karpenter-canary',
      speed: 120,
      kills: Array.from({ length: 4 }, () => 'worker@karpenter-controller'),
    });
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
    expect(run.report.killed).toHaveLength(4);
    expect(claimWrites(run)).toEqual(['create nodeclaims', 'delete nodeclaims']);
    expect(canaries(run.world)).toEqual([]);
    const when = (operation: string): string => run.report.mutations.find((each) => each.operation === operation)?.at ?? '';
    expect(when('delete nodeclaims') < when('UpdateClusterVersion')).toBe(true);
    expect(saying(run, /^ℹ Karpenter 1\.2\.8 launched ip-\S+ for NodePool default; it became Ready and was removed again/)).toHaveLength(1);
  },
  LIMIT_MS,
);

test(
  'a node that never comes: the step fails with Karpenter’s words, the control plane does not move, and nothing is left behind',
  async () => {
    const run = await rehearsed({
      scenario: 'karpenter-canary',
      faults: ['karpenter:never-registers@karpenter-controller'],
      decide: (gate) => (gate.startsWith('failed:karpenter-controller') ? 'abort' : undefined),
    });
    expect(run.report.outcome).toBe('aborted');
    expect(run.report.leftBehind).toEqual([]);
    expect(canaries(run.world)).toEqual([]);
    expect(run.world.eks.cluster.version).toBe('1.31');
    expect(saying(run, /a canary node of NodePool default did not come: Karpenter gave it up: Registered is /).length).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
