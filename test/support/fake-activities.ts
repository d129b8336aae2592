/** Typed stand-ins for activities: a healthy cluster by default, a test changes one thing. Keeps what was asked of it, and a tiny world. */
import { CancelledFailure, Context } from '@temporalio/activity';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { AuditEvent } from '../../domain/gates/audit.ts';
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { PublishInput } from '../../domain/run/notifications.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { ReadinessSummary } from '../../domain/readiness/summary.ts';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import { summarizeForecast } from '../../domain/run/forecasts/summary.ts';
import { forecast } from './forecasts.ts';
import { fakeCampaignActivities } from './fake-campaign.ts';
import { plan as defaultPlan } from './plan.ts';
import { CLUSTER, policy as defaultPolicy } from './facts.ts';

/** Of a cluster in which nothing is open. */
export function readySummary(change: Partial<ReadinessSummary> = {}): ReadinessSummary {
  return {
    cluster: CLUSTER,
    from: '1.31',
    target: '1.32',
    checkedAt: '2025-04-29T09:00:00.000Z',
    verdict: 'ready',
    counts: { required: 0, recommended: 0, unknown: 0, passed: 60, waived: 0 },
    open: [],
    ...change,
  };
}

export interface FakeWorld {
  controlPlane: string;
  nodes: Record<string, number>;
  /** The budgets' state, as the guard leaves it: undefined means as before the run. */
  budgets: { nodes: string; guard: string } | undefined;
  calls: { name: keyof BelayActivities; input: unknown }[];
  published: PublishInput[];
  records: UpgradeReport[];
  audit: AuditEvent[];
  scaled: string[];
  /** What runs on Fargate and is held at 0. */
  stopped: string[];
}

export const count = (world: FakeWorld, name: keyof BelayActivities): number => world.calls.filter((call) => call.name === name).length;
export const inputs = (world: FakeWorld, name: keyof BelayActivities): unknown[] =>
  world.calls.filter((call) => call.name === name).map((call) => call.input);

/** Timing for workflow tests: real waits of milliseconds. */
export function quickPolicy(change: Partial<UpgradePolicy> = {}): UpgradePolicy {
  const base = defaultPolicy();
  return {
    ...base,
    approvals: {
      users: ['U0SAM', 'U0RIN'],
      groups: [],
      quorum: 1,
      allowRequester: false,
      allowUnverifiedCli: true,
      reasonsFor: ['reject'],
    },
    ...change,
    timing: {
      ...base.timing,
      pollMinMs: 50,
      pollMaxMs: 200,
      bakeMs: 50,
      gateDeadlineMs: 30_000,
      freezeCheckMs: 100,
      freezeReminderMs: 60_000,
      paceStepMs: 50,
      waveBakeMs: 50,
      apiTransientMs: 5000,
      boardEditMs: 100,
      ...change.timing,
    },
  };
}

export function fakeActivities(options: { plan?: UpgradePlan; policy?: UpgradePolicy } = {}): {
  world: FakeWorld;
  activities: BelayActivities;
} {
  const world: FakeWorld = {
    controlPlane: '1.31',
    nodes: { '1.31': 5 },
    budgets: undefined,
    calls: [],
    published: [],
    records: [],
    audit: [],
    scaled: [],
    stopped: [],
  };
  const policy = options.policy ?? quickPolicy();
  const healthy: BelayActivities = {
    loadPolicy: async () => policy,
    ...fakeCampaignActivities(policy),
    makePlan: async () => ({ kind: 'plan', plan: options.plan ?? defaultPlan() }),
    planRollback: async () => ({ kind: 'plan', plan: options.plan ?? defaultPlan() }),
    readPromotion: async () => ({ moves: [], unpromoted: [] }),
    judgeWindow: async () => ({ kind: 'open' }),
    awaitWindow: async () => ({ opened: true }),
    judgeAlerts: async () => ({ kind: 'quiet' }),
    judgeStart: async () => ({ window: { kind: 'open' }, alerts: { kind: 'quiet' } }),
    awaitQuiet: async () => ({ quiet: true }),
    watchHealth: async () => untilCancelled(),
    watchCluster: async () => untilCancelled(),
    watchQueue: async () => untilCancelled(),
    judgeOrder: async () => ({ status: 'pass', lines: [] }),
    runPreChecks: async () => ({ findings: [], passedCount: 12 }),
    checkReadiness: async () => ({ summary: readySummary() }),
    forecastUpgrade: async () => ({ kind: 'made', summary: summarizeForecast(forecast()) }),
    verifyControlPlane: async () => ({ findings: [], passedCount: 6 }),
    captureRollbackPoint: async () => ({ location: '/records/rollback-point.json', leftOut: [], leftOutCount: 0 }),
    checkWayBack: async () => ({ findings: [], passedCount: 8 }),
    validateCluster: async () => ({ findings: [], passedCount: 9 }),
    readVersions: async ({ clusters }) => ({
      readAt: '2025-04-29T09:00:00.000Z',
      clusters: clusters.map(({ name }) => ({ name, version: world.controlPlane })),
      offered: [],
    }),
    readRollbackWindow: async () => ({ now: '2025-04-29T09:00:00.000Z', back: { kind: 'none', why: 'never-moved' } }),
    findUnrequestedRollback: async () => ({}),
    awaitUnrequestedRollback: async () => untilCancelled(),
    readClock: async () => ({ eks: '2025-04-29T09:00:00.000Z' }),
    readSkew: async () => ({ controlPlane: world.controlPlane, updating: false, nodes: world.nodes }),
    startLogging: async () => ({ adopted: false, alreadyThere: true }),
    awaitLogging: async () => ({ timedOut: false }),
    startControlPlaneUpdate: async () => ({ updateId: 'u-1', adopted: false, alreadyThere: false }),
    startNodeGroupUpdate: async () => ({ updateId: 'u-2', adopted: false, alreadyThere: false }),
    startAddOnUpdate: async () => ({ updateId: 'u-3', adopted: false, alreadyThere: false }),
    awaitForeignUpdate: async () => ({ updateId: 'u-tf', adopted: true, alreadyThere: false, timedOut: false }),
    awaitUpdate: async ({ resource, to }) => {
      if (resource.kind === 'cluster') world.controlPlane = to;
      return { status: 'Successful', errors: [] };
    },
    watchNodesBack: async () => ({ kind: 'moving' }),
    cancelRollback: async () => ({ outcome: 'cancelling' }),
    awaitAddOnHealthy: async () => ({ healthy: true, message: 'ACTIVE' }),
    verifyNodeGroup: async () => ({ findings: [] }),
    awaitKarpenterVersion: async ({ wanted }) => ({ version: wanted, timedOut: false }),
    examineKarpenter: async () => ({
      claimCount: 3,
      driftedCount: 0,
      frozenPools: 1,
      poolCount: 1,
      notReady: [],
      unowned: [],
      needs: [],
      permissions: [],
    }),
    readKarpenterMigration: async () => ({
      controller: '1.0.14',
      steps: [{ id: 'kubernetes', title: 'Kubernetes 1.25 or newer', state: 'done', seen: 'It is 1.31.' }],
      delivered: [],
      workloads: [],
      questions: [],
      unknowns: [],
      claimCount: 3,
      driftedCount: 0,
      incomplete: [],
    }),
    awaitKarpenterMigration: async () => ({ timedOut: false, state: 'done', seen: 'It is.' }),
    foreseeExpiry: async () => ({ pastCount: 0, soonCount: 0, lines: [] }),
    holdForMigration: async () => ({ byBudget: ['default'], byNode: [] }),
    releaseMigrationHold: async () => ({ restored: ['default'], changedByOthers: [], failed: [] }),
    removeOldWebhooks: async () => ({ removed: [], kept: [] }),
    moveKubelets: async () => ({ moved: [], asked: [], refused: [], old: [] }),
    awaitManifests: async () => ({ left: [] }),
    createNewObjects: async () => ({ created: ['NodePool default'], asked: [], refused: [] }),
    awaitNewObjects: async () => ({ left: [] }),
    taintProvisioners: async () => ({ tainted: ['default'], delivered: [] }),
    untaintProvisioners: async () => ({ untainted: [] }),
    deleteAlphaObjects: async () => ({ deleted: ['Provisioner default'], asked: [] }),
    storeAsV1: async () => ({ rewritten: 0 }),
    upgradeKarpenterWithHelm: async () => ({ adopted: [] }),
    verifyKarpenter: async () => ({ troubles: [] }),
    tryCanaryNode: async () => ({ kind: 'ready', node: 'ip-10-0-16-99' }),
    removeCanaryNode: async () => ({ gone: true }),
    setDeliveredVersion: async () => ({ kind: 'set' }),
    awaitDelivered: async () => ({ kind: 'converged' }),
    freezeDrift: async ({ guard }) => {
      const previous = world.budgets?.guard;
      world.budgets = { nodes: '0', guard };
      return { pools: ['default'], adopted: [], previousGuards: previous === undefined ? [] : [previous] };
    },
    checkFreeze: async () => ({ intact: true, reverted: [], pools: ['default'] }),
    watchFreeze: async () => untilCancelled(),
    setDriftPace: async ({ nodes }) => {
      if (world.budgets !== undefined) world.budgets = { ...world.budgets, nodes };
      return { intact: true, reverted: [], pools: ['default'] };
    },
    restoreBudgets: async () => {
      world.budgets = undefined;
      return { restored: ['default'], changedByOthers: [], failed: [] };
    },
    findFrozen: async () => ({ pools: world.budgets === undefined ? [] : ['default'] }),
    watchDrift: async ({ to, watchMs }) => {
      if (watchMs !== undefined) return { kind: 'pace-elapsed', replacedCount: 1, remainingCount: 2 };
      world.nodes = { [to]: 5 };
      return { kind: 'done', replacedCount: 3, remainingCount: 0, skippedCount: 0 };
    },
    forecastRoll: async () => ({ evidence: [] }),
    holdWaves: async () => ({ waves: [] }),
    releaseWave: async () => ({ releasedCount: 0 }),
    releaseWaves: async () => ({ releasedCount: 0 }),
    holdNode: async () => undefined,
    releaseNode: async () => undefined,
    holdAmis: async () => ({ held: ['default'], refused: [] }),
    releaseAmis: async () => ({ released: ['default'], failed: [] }),
    moveAmis: async () => undefined,
    awaitAmiMoves: async () => ({ left: [] }),
    undoAmiMoves: async ({ moves }) => ({ undone: moves.map(({ nodeClass }) => nodeClass), failed: [] }),
    forgetAmiMoves: async () => undefined,
    switchNodeClasses: async () => undefined,
    awaitNodeClassSwitches: async () => ({ left: [] }),
    undoNodeClassSwitches: async ({ switches }) => ({ undone: switches.map(({ nodePool }) => nodePool), failed: [] }),
    forgetNodeClassSwitches: async () => undefined,
    awaitAmis: async () => ({ stale: [] }),
    scaleByOne: async ({ name }) => {
      world.scaled.push(name);
      return { before: 1, after: 2, ready: true };
    },
    scaleBack: async ({ name }) => {
      world.scaled = world.scaled.filter((other) => other !== name);
      return { restored: true, changedByOthers: false };
    },
    cordonNode: async () => undefined,
    uncordonNode: async () => undefined,
    deletePod: async () => undefined,
    readFargate: async () => ({ namespaces: [{ name: 'jobs', podCount: 2 }] }),
    restartFargate: async () => ({ restarted: 1, interrupted: [], unmoved: [] }),
    awaitFargate: async () => ({ timedOut: false, wrong: [] }),
    readFargateBack: async () => ({
      podCount: world.stopped.length > 0 ? 0 : 2,
      workloads: world.stopped.length > 0 ? [] : [{ kind: 'Deployment', namespace: 'batch', name: 'worker', replicas: 2 }],
      stuck: [],
      dns: false,
      cronJobs: [],
      budgets: [],
    }),
    stopFargate: async () => {
      world.stopped = ['Deployment batch/worker'];
      return { stopped: world.stopped, stoppedCount: 1, stuck: [] };
    },
    awaitFargateStopped: async () => ({ timedOut: false, left: [] }),
    startFargate: async () => {
      const startedCount = world.stopped.length;
      world.stopped = [];
      return { startedCount, changedByOthers: [], failed: [] };
    },
    awaitFargateStarted: async () => ({ timedOut: false, left: [] }),
    awaitSelfManaged: async () => ({ timedOut: false, left: [] }),
    examineGroup: async () => ({
      kind: 'refreshable',
      templateId: 'lt-1',
      source: '1',
      followsLatest: false,
      before: 'old (ami-1)',
      after: 'new (ami-2)',
      image: 'ami-2',
      size: 2,
      hooks: [],
      handler: false,
      running: false,
    }),
    addTemplateVersion: async () => ({ version: '2', adopted: false }),
    holdTerminating: async () => undefined,
    releaseTerminating: async () => undefined,
    startInstanceRefresh: async () => ({ refreshId: 'r-1', adopted: false }),
    watchInstanceRefresh: async () => ({ kind: 'done' }),
    stopInstanceRefresh: async () => undefined,
    pauseAutoscaler: async () => ({ gone: false }),
    awaitAutoscaler: async () => ({ stopped: true }),
    resumeAutoscaler: async () => ({ changedByOthers: false, replicas: 2 }),
    listUndo: async () => ({ options: [{ step: 'add-ons', possible: true, expectedMs: 120_000, why: [] }] }),
    findLeftovers: async () => ({ leftovers: [], unseen: [] }),
    lookAtMerges: async ({ changed }) => ({ merges: changed.map(({ object }) => ({ object, state: 'merged', why: 'applied' })) }),
    lookAtSideEffects: async () => ({ effects: [] }),
    findLoneIstiods: async () => ({ lone: [] }),
    raiseIstiod: async () => undefined,
    awaitIstiodFree: async () => ({ free: true }),
    lowerIstiod: async () => ({ changedByOthers: false }),
    examineIstioDelivery: async () => ({}),
    createDeliveredRevision: async ({ old }) => ({ chart: old }),
    awaitDeliveredRevision: async () => ({ kind: 'converged', version: '1.28.0' }),
    awaitNamespaceLabels: async () => ({ moved: true, left: [] }),
    findDeliveredAgent: async () => ({}),
    findDeliveredRevision: async () => ({}),
    removeDeliveredRevision: async () => undefined,
    installIstioRevision: async () => ({ version: '1.28.0' }),
    awaitIstioRevision: async () => ({ version: '1.28.0', timedOut: false }),
    readWave: async ({ namespaces }) => ({ before: namespaces.map((namespace) => ({ namespace, injection: null, rev: '1-26' })) }),
    moveNamespaces: async () => ({ restarted: 3, skipped: [] }),
    moveTag: async () => ({ restarted: 3, skipped: [] }),
    moveDefaults: async () => ({ held: [] }),
    awaitIstioPointers: async () => ({ moved: true, left: [] }),
    moveBack: async () => ({ restarted: 3 }),
    rollByHand: async ({ sets, pods = [] }) => ({ deletedCount: sets.length + pods.length }),
    rollBackByHand: async ({ sets }) => ({ deletedCount: sets.length }),
    readWaveTraffic: async ({ namespaces, labels }) => ({
      before: { kind: 'blind', why: 'no Prometheus is configured' },
      connected: { kind: 'blind', why: 'no Prometheus is configured' },
      ...(labels === true ? { labels: namespaces.map((namespace) => ({ namespace, injection: null, rev: '1-26' })) } : {}),
    }),
    awaitProxies: async () => ({ ok: true, podCount: 6, wrong: [], timedOut: false }),
    readNodeAgents: async ({ agents }) => ({ behind: agents }),
    upgradeNodeAgent: async ({ agent }) => ({ version: `${agent.toMinor}.0` }),
    readGateways: async ({ gateways }) => ({ before: gateways.map((gateway) => ({ ...gateway, rev: '1-26', services: [] })) }),
    moveGateways: async () => ({ restarted: 1, skipped: [] }),
    awaitGateways: async () => ({ moved: true, left: [] }),
    awaitNodeAgent: async () => ({ done: true }),
    checkRetirement: async () => ({ findings: [] }),
    retireIstioRevision: async () => undefined,
    forgetWaves: async () => undefined,
    // One look, at the beginning of a second round, finds it still there.
    awaitIstioRevisionGone: async ({ timing }) => ({ gone: timing.askTimeoutMs > 1, left: [] }),
    deliverEvents: async ({ events }) => events.map(({ key }) => ({ key, outcome: 'sent' })),
    publish: async ({ upgrade, channel, messages }) =>
      messages.map((message) => {
        world.published.push({ upgrade, channel, ...message });
        return { key: message.key, ref: { channel, ts: `${world.published.length}.0` } };
      }),
    readApprover: async ({ actor }) =>
      actor.id === 'U0EVE'
        ? { allowed: false, why: 'Eve is not an approver.', person: actor }
        : { allowed: true, why: 'approver', person: actor },
    appendAudit: async ({ head, events }) => {
      world.audit.push(...events);
      return { head: { seq: head.seq + events.length, hash: `hash-${head.seq + events.length}` } };
    },
    appendRefusals: async ({ events }) => ({ head: { seq: events.length, hash: 'door' } }),
    writeRecord: async ({ report }) => {
      world.records.push(report);
      return { location: 'records/x.json' };
    },
  };
  return { world, activities: recorded(world, healthy) };
}

/** Replaces single activities; calls are still recorded. */
export function withChange(fake: { world: FakeWorld; activities: BelayActivities }, change: Partial<BelayActivities>): BelayActivities {
  return { ...fake.activities, ...recorded(fake.world, change) };
}

function recorded<T extends Partial<BelayActivities>>(world: FakeWorld, activities: T): T {
  const wrap = (name: keyof BelayActivities, run: (input: never) => unknown) => (input: never) => {
    world.calls.push({ name, input });
    return run(input);
  };
  return Object.fromEntries(
    Object.entries(activities).map(([name, run]) => [name, wrap(name as keyof BelayActivities, run as (input: never) => unknown)]),
  ) as T;
}

/** What a watching loop does while nothing happens. */
export async function untilCancelled(): Promise<never> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), 100);
  try {
    return await context.cancelled;
  } catch (error) {
    throw error instanceof CancelledFailure ? error : new CancelledFailure('cancelled');
  } finally {
    clearInterval(timer);
  }
}

/** A slow call: ends by itself, or at once when cancelled. */
export async function sleepBeating(ms: number): Promise<void> {
  const context = Context.current();
  for (let left = ms; left > 0; left -= 50) {
    context.heartbeat();
    await context.sleep(Math.min(50, left));
  }
}
