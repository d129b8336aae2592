/** What a snapshot holds is planned and checked as the cluster itself was, and what it does not hold is unknown. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findScenario } from '../../../../rehearsal/scenarios/index.ts';
import { setStage, type Stage } from '../../../../rehearsal/play/stage/stage.ts';
import { configFile } from '../../../../rehearsal/play/config-file.ts';
import type { Snapshot, SnapshotList } from '../../../../domain/facts/snapshot/format.ts';
import type { PlanResult } from '../../../../domain/plan/model/types.ts';
import type { Config } from '../../../../domain/policy/config/config.ts';
import { parseConfig } from '../../../../worker/config/config.ts';
import { planCluster } from '../../../../worker/local/plan.ts';
import { planSnapshot, snapshotPolicy } from '../../../../worker/local/snapshots/plan-snapshot.ts';
import { checkCluster } from '../../../../worker/local/check.ts';
import { takeForNow } from '../../../../worker/local/snapshots/take-for-now.ts';
import { checkSnapshot } from '../../../../worker/local/snapshots/check-snapshot.ts';
import { selfManaged } from '../../../../rehearsal/scenarios/nodes/self-managed.ts';
import type { Scenario } from '../../../../rehearsal/scenarios/scenario.ts';

/** A refresh of insights, a minute of the world, takes a fraction of a second. */
const SPEED = 600;

interface Taken {
  config: Config;
  snapshot: Snapshot;
  live: PlanResult;
  close(): Promise<void>;
}

function configOf(stage: Stage): Config {
  const { scenario } = stage.built;
  Object.assign(process.env, { AWS_ENDPOINT_URL: stage.aws.url, AWS_ACCESS_KEY_ID: 'AKIAADMINISTRATOR000', AWS_SECRET_ACCESS_KEY: 'x' });
  const approvers = { users: ['U0SAM'], groups: [] };
  return parseConfig(
    configFile({
      scenario,
      speed: SPEED,
      channel: 'C0UPGRADES',
      approvers,
      publicKeys: {},
      prometheusUrl: stage.prometheusUrl,
      recordsDirectory: '/nowhere/records',
    }),
    'belay.yaml',
  );
}

/** A scenario's plan by its own clients, and its snapshot. */
async function take(named: string | Scenario, target: string): Promise<Taken> {
  const scenario = typeof named === 'string' ? findScenario(named) : named;
  const stage = await setStage({ scenario, speed: SPEED, faults: [], temporalUi: () => undefined });
  const config = configOf(stage);
  try {
    const live = await planCluster(config, { cluster: stage.built.scenario.cluster.name, target });
    const snapshot = await takeForNow(config, stage.built.scenario.cluster.name, { belay: '0.1.0' });
    return { config, snapshot, live, close: () => stage.close() };
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** Namespaces by wave of the mesh. */
const waves = (result: PlanResult): string[][] =>
  result.kind === 'refused'
    ? []
    : result.plan.steps.flatMap(({ params }) => (params.phase === 'istio' ? params.canaries.flatMap((canary) => canary.waves) : []));

/** Without what a snapshot does not hold: metrics, and whose OIDC issuer the cluster has. */
const unwatched = (result: PlanResult): PlanResult => {
  if (result.kind === 'refused') return result;
  const { health: _, identity: __, ...planned } = result;
  return planned;
};

describe('a plan from a snapshot', () => {
  test.each<[string, string, PlanResult['kind']]>([
    ['small', '1.32', 'plan'],
    ['seed-004', '1.30', 'plan'],
    ['self-managed', '1.32', 'plan'],
    ['fargate', '1.32', 'plan'],
    ['auto-mode', '1.32', 'plan'],
    ['karpenter-beta-helm', '1.31', 'plan'],
    ['small', '1.30', 'refused'],
  ])('of %s to %s is the one of the cluster itself, with nothing asked of anybody', async (name, target, kind) => {
    const { config, snapshot, live, close } = await take(name, target);
    await close();
    expect(live.kind).toBe(kind);
    expect(await planSnapshot(snapshot, { config, target })).toEqual(unwatched(live));
  });
});

test('F38: of a cluster that EKS calls otherwise the plan is the same too, and without a belay.yaml its commands have EKS’s name', async () => {
  const named = { ...selfManaged, cluster: { ...selfManaged.cluster, eksName: 'main' } };
  const { config, snapshot, live, close } = await take(named, '1.32');
  await close();
  if (live.kind === 'refused') throw new Error('there is a plan');
  expect(live.plan.cluster).toEqual(named.cluster);
  // Found by the tag of Auto Scaling, which has EKS's name.
  const groups = (plan: PlanResult) =>
    plan.kind === 'plan' && plan.plan.steps.flatMap(({ params }) => ('selfManaged' in params ? (params.selfManaged?.groups ?? []) : []));
  expect(groups(live)).not.toEqual([]);
  expect(await planSnapshot(snapshot, { config, target: '1.32' })).toEqual(unwatched(live));
  const alone = await planSnapshot(snapshot, { target: '1.32' });
  expect(alone).toMatchObject({ kind: 'plan', plan: { cluster: named.cluster } });
  expect(groups(alone)).toEqual(groups(live));
});

describe('of a cluster with a mesh', () => {
  let taken: Taken;
  beforeAll(async () => {
    taken = await take('seed-002', '1.34');
  });
  afterAll(() => taken.close());

  test('its plan is the one of the cluster itself, waves in the order of their traffic included', async () => {
    const { config, snapshot, live } = taken;
    const replayed = await planSnapshot(snapshot, { config, target: '1.34' });
    expect(replayed).toEqual(unwatched(live));
    // By name they would move in another order.
    const byName = await planSnapshot({ ...snapshot, metrics: [] }, { config, target: '1.34' });
    expect(waves(byName)).not.toEqual(waves(replayed));
    expect(waves(byName).flat().toSorted()).toEqual(waves(replayed).flat().toSorted());
  });

  test('a snapshot without the traffic by namespace says so in the plan, orders waves by name, and does else the same', async () => {
    const { config, snapshot, live } = taken;
    const replayed = await planSnapshot({ ...snapshot, metrics: [] }, { config, target: '1.34' });
    if (live.kind === 'refused' || replayed.kind === 'refused') throw new Error('both are plans');
    const doubts = replayed.plan.findings.filter(({ message }) => message.includes('traffic'));
    expect(doubts.map(({ message }) => message)).toEqual([
      'the traffic by namespace could not be read: the snapshot does not hold what Prometheus says',
    ]);
    expect(replayed.plan.steps.map(({ id, gate }) => [id, gate])).toEqual(live.plan.steps.map(({ id, gate }) => [id, gate]));
  });

  test('without a belay.yaml it is planned by Belay’s defaults', async () => {
    const { snapshot } = taken;
    const { policy, named } = snapshotPolicy(snapshot, undefined);
    expect([named, policy.cluster, policy.timing.bakeMs]).toEqual([false, snapshot.header.cluster, 600_000]);
    expect(await planSnapshot(snapshot, { target: '1.34' })).toMatchObject({ kind: 'plan', plan: { hops: ['1.33', '1.34'] } });
  });

  test('belay.yaml counts for this very cluster alone, not for one of its name in another account', () => {
    const { config, snapshot } = taken;
    const { cluster } = snapshot.header;
    const elsewhere = { ...snapshot.header, cluster: { ...cluster, account: '999999999999' } };
    expect([snapshotPolicy(snapshot, config).named, snapshotPolicy({ header: elsewhere }, config).named]).toEqual([true, false]);
  });

  test('its readiness is the one of the cluster itself', async () => {
    const { config, snapshot } = taken;
    const live = await checkCluster(config, { cluster: snapshot.header.cluster.name, target: '1.34' });
    const replayed = await checkSnapshot(snapshot, { config, target: '1.34' });
    const verdicts = (report: typeof live) => report.findings.map(({ code, status }) => `${code} ${status}`);
    expect(verdicts(replayed)).toEqual(verdicts(live));
  });

  test('one without the API server’s metrics, as of an older Belay, does not know who calls deprecated APIs', async () => {
    const { config, snapshot } = taken;
    const replayed = await checkSnapshot({ ...snapshot, metrics: [] }, { config, target: '1.34' });
    const unseen = expect.stringContaining('The API server’s metrics could not be read: the snapshot does not hold /metrics');
    const ofServer = replayed.findings.filter(({ code }) => ['K8S015', 'K8S016'].includes(code));
    expect(ofServer.map(({ status, message }) => [status, message])).toEqual([
      ['unknown', unseen],
      ['unknown', unseen],
    ]);
  });

  test('F53: what was not read is unknown, with the right that was missing', async () => {
    const { config, snapshot } = taken;
    const but = (plural: string, change: Partial<SnapshotList>): Snapshot => ({
      ...snapshot,
      lists: snapshot.lists.flatMap((list) =>
        list.plural === plural ? (change.outcome === undefined ? [] : { ...list, ...change }) : list,
      ),
    });
    const doubts = async (changed: Snapshot): Promise<string[]> => {
      const result = await planSnapshot(changed, { config, target: '1.34' });
      if (result.kind === 'refused') return result.violations.map(({ message }) => message);
      const unknown = result.plan.findings.flatMap(({ status, message }) => (status === 'unknown' ? message : []));
      return unknown.filter((message) => message.includes('could not be read') && !message.includes('traffic'));
    };
    const why = 'nodes is forbidden: User "jo" cannot list resource "nodes" in API group ""';
    expect(await doubts(but('nodes', { outcome: 'unread', why, denied: true }))).toEqual([
      `the nodes could not be read, so which nodes have to be moved, and how far their kubelets are behind, is not known: not permitted: it needs list on nodes (listing nodes for the snapshot: ${why})`,
    ]);
    expect(await doubts(but('nodepools', { outcome: 'unread', why: 'no answer in time' }))).toEqual([
      'the Karpenter NodePools could not be read, so whether Karpenter has to be frozen is not known: listing nodepools for the snapshot: no answer in time',
    ]);
    expect(await doubts(but('ec2nodeclasses', {}))).toEqual([
      'the EC2NodeClasses could not be read: the snapshot does not hold karpenter.k8s.aws/v1 ec2nodeclasses',
      'The EC2NodeClass of burst (al2023), default (al2023) could not be read: whether its nodes follow the control plane, and on which AMI, is not known.',
    ]);
  });
});
