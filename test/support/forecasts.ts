/** A forecast of a small cluster, made by hand: a test starts from it and changes one thing. */
import type { Forecast, Spread, WorkloadRef } from '../../domain/plan/forecast/types.ts';
import type { Comparison } from '../../domain/run/forecasts/comparison.ts';
import { CLUSTER } from './facts.ts';

const MINUTE = 60_000;

/** Minutes. */
export const spread = (p50: number, p90 = p50): Spread => ({ p50: p50 * MINUTE, p90: p90 * MINUTE });
export const count = (p50: number, p90 = p50): Spread => ({ p50, p90 });

export const WEB: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'web', team: 'storefront' };
export const LEDGER: WorkloadRef = { kind: 'StatefulSet', namespace: 'billing', name: 'ledger', team: 'billing' };
export const LICENCE: WorkloadRef = { kind: 'Deployment', namespace: 'internal', name: 'license-server' };

export function forecast(change: Partial<Forecast> = {}): Forecast {
  return {
    cluster: CLUSTER,
    from: '1.33',
    to: '1.34',
    planHash: 'b1946ac92492d2347c6235b4d2611184',
    strategy: 'every-hop',
    snapshotTakenAt: '2026-09-08T07:00:00.000Z',
    madeAt: '2026-09-08T09:00:00.000Z',
    runs: 20,
    seed: 1,
    total: spread(190, 245),
    steps: [
      {
        id: 'pre-checks@1.33',
        title: 'Pre-checks for 1.34',
        phase: 'pre-checks',
        startsAfter: spread(0),
        takes: spread(2, 3),
        basis: 'reports',
      },
      {
        id: 'control-plane@1.33',
        title: 'Control plane 1.33 → 1.34',
        phase: 'control-plane',
        startsAfter: spread(7, 12),
        takes: spread(12, 18),
        basis: 'learnt',
      },
      {
        id: 'bake@1.33',
        title: 'Bake the control plane',
        phase: 'bake',
        startsAfter: spread(19, 30),
        takes: spread(30),
        basis: 'configured',
      },
      {
        id: 'node-groups@1.33',
        title: 'Node groups to 1.34',
        phase: 'node-groups',
        startsAfter: spread(54, 70),
        takes: spread(26, 34),
        basis: 'snapshot',
      },
      {
        id: 'karpenter-drift@1.33',
        title: 'Karpenter nodes to 1.34',
        phase: 'karpenter-drift',
        startsAfter: spread(85, 108),
        takes: spread(95, 128),
        basis: 'snapshot',
      },
      {
        id: 'validation@1.33',
        title: 'Validation',
        phase: 'validation',
        startsAfter: spread(185, 240),
        takes: spread(5, 6),
        basis: 'reports',
      },
    ],
    gates: [
      {
        step: 'control-plane@1.33',
        title: 'Start the control plane',
        why: 'the control plane of production asks first',
        assumed: 'approve',
        share: 1,
        decidedAfterMs: 5 * MINUTE,
      },
      {
        step: 'karpenter-drift@1.33',
        title: 'Nodes are blocked',
        why: '2 nodes cannot be drained',
        assumed: 'delete the pod',
        share: 0.75,
        decidedAfterMs: 15 * MINUTE,
      },
    ],
    nodesReplaced: [
      { owner: 'node-group', name: 'system', count: count(3) },
      { owner: 'karpenter', name: 'general', count: count(42, 44) },
    ],
    blockers: [
      {
        pod: { namespace: 'billing', name: 'ledger-0' },
        node: 'ip-10-0-1-7.eu-central-1.compute.internal',
        workload: LEDGER,
        reason: 'budget',
        budgets: ['ledger'],
        share: 1,
      },
      {
        pod: { namespace: 'internal', name: 'license-server-7d9f' },
        node: 'ip-10-0-2-9.eu-central-1.compute.internal',
        workload: LICENCE,
        reason: 'do-not-disrupt',
        budgets: [],
        share: 0.75,
      },
    ],
    downtimes: [
      { workload: LICENCE, replicas: 1, why: 'one-replica', down: spread(2, 4), share: 1 },
      { workload: WEB, replicas: 3, why: 'one-zone', down: spread(0, 1), share: 0.3 },
    ],
    evictions: [
      { workload: WEB, count: count(3, 4) },
      { workload: LEDGER, count: count(1) },
      { workload: LICENCE, count: count(1) },
    ],
    peak: {
      extraNodes: count(5, 6),
      extraVcpus: count(40, 48),
      extraAddresses: count(145, 174),
      shortOfAddresses: [{ zone: 'eu-central-1b', needed: 58, free: 40 }],
      volumesMoved: count(4),
    },
    surge: { nodeHours: count(6.5, 9), cost: count(2.5, 3.4), unpriced: [] },
    nodesOverTime: [
      { atMs: 0, old: 45, new: 0, coming: 0 },
      { atMs: 54 * MINUTE, old: 45, new: 0, coming: 1 },
      { atMs: 80 * MINUTE, old: 42, new: 3, coming: 0 },
      { atMs: 100 * MINUTE, old: 36, new: 9, coming: 5 },
      { atMs: 140 * MINUTE, old: 17, new: 28, coming: 4 },
      { atMs: 180 * MINUTE, old: 0, new: 45, coming: 0 },
      { atMs: 190 * MINUTE, old: 0, new: 45, coming: 0 },
    ],
    limits: ['PodDisruptionBudgets were not read: the right to list poddisruptionbudgets is missing. Which pods block is unknown.'],
    calibration: [
      { what: 'from NodeClaim to Ready, NodePool general', basis: 'snapshot', medianMs: 52_000, count: 42 },
      { what: 'from pod to Ready, StatefulSet billing/ledger', basis: 'reports', medianMs: 60_000, count: 0 },
    ],
    ...change,
  };
}

/** Two hops of a large cluster: long names, a name that is markup, more of everything than a page shows at once. */
export function largeForecast(): Forecast {
  const small = forecast();
  const teams = ['storefront', 'billing', 'platform-engineering-and-observability', 'data/ml', undefined];
  const workload = (at: number): WorkloadRef => ({
    kind: at % 3 === 0 ? 'StatefulSet' : 'Deployment',
    namespace: `team-${String(at % 9).padStart(2, '0')}-production`,
    name: at === 0 ? '<b>web</b>' : `recommendation-service-with-a-long-name-${at}`,
    ...(teams[at % teams.length] === undefined ? {} : { team: String(teams[at % teams.length]) }),
  });
  const [step] = small.steps;
  const [blocker, other] = small.blockers;
  const [downtime] = small.downtimes;
  if (step === undefined || blocker === undefined || other === undefined || downtime === undefined)
    throw new Error('the small forecast has one of each');
  return {
    ...small,
    to: '1.35',
    runs: 20,
    total: spread(1_520, 1_905),
    steps: Array.from({ length: 22 }, (_, at) => ({
      ...step,
      id: `${step.phase}@1.3${at < 11 ? 3 : 4}`,
      title: at === 4 ? 'Node groups system, ingress-nginx and batch-spot to 1.34' : `Step ${at + 1} of the upgrade`,
      startsAfter: spread(at * 68, at * 84),
      takes: spread(60 + at, 70 + 3 * at),
    })),
    blockers: Array.from({ length: 120 }, (_, at) => ({
      ...(at % 2 === 0 ? blocker : other),
      pod: { namespace: workload(at).namespace, name: `${workload(at).name}-7c9d8f6b5-x${at}` },
      node: `ip-10-0-${at % 200}-17.eu-central-1.compute.internal`,
      workload: workload(at),
    })),
    downtimes: Array.from({ length: 70 }, (_, at) => ({ ...downtime, workload: workload(at + 3) })),
    evictions: Array.from({ length: 400 }, (_, at) => ({ workload: workload(at), count: count(at % 7, (at % 7) + 1) })),
    nodesOverTime: Array.from({ length: 300 }, (_, at) => ({
      atMs: at * 5 * MINUTE,
      old: Math.max(0, 5_000 - at * 17),
      new: Math.min(5_000, at * 17),
      coming: at % 40 === 0 ? 0 : 60 + ((at * 7) % 90),
    })),
    limits: [
      ...small.limits,
      'ValidatingAdmissionPolicies of others are not simulated: 3 of them match pods.',
      'Local volumes of 4 StatefulSets are not simulated: their pods are taken to move.',
    ],
    surge: { nodeHours: count(1_240.5, 1_602), unpriced: ['u7in-24tb.224xlarge'] },
    calibration: Array.from({ length: 90 }, (_, at) => ({
      what: `from pod to Ready, Deployment team-0${at % 9}-production/recommendation-service-with-a-long-name-${at}`,
      basis: at % 3 === 0 ? ('reports' as const) : ('snapshot' as const),
      medianMs: 20_000 + at * 700,
      count: at % 3 === 0 ? 0 : at,
    })),
  };
}

/** The same upgrade with the other strategy, and one that no plan allows. */
export function comparison(): Comparison {
  const first = forecast();
  const end = forecast({ strategy: 'once-at-the-end', total: spread(150, 200), blockers: first.blockers.slice(0, 1) });
  return {
    by: 'strategy',
    variants: [
      { label: 'every-hop', forecast: first },
      { label: 'once-at-the-end', forecast: end },
      {
        label: 'never',
        refused: [{ rule: 'kubelet-skew', message: 'Kubelets of 1.30 may not stay.', remedy: 'Replace nodes at every hop.' }],
      },
    ],
  };
}
