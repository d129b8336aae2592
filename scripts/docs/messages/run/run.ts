/** Examples of workflows/messages: a run on its way, what it waits for, what it answers, and how it ends. */
import * as clusterWatch from '../../../../workflows/messages/cluster-watch.ts';
import * as networks from '../../../../workflows/messages/networks.ts';
import * as commands from '../../../../workflows/messages/commands.ts';
import * as health from '../../../../workflows/messages/health.ts';
import * as plan from '../../../../workflows/messages/plan.ts';
import * as rollbackWindow from '../../../../workflows/messages/rollback-window.ts';
import * as run from '../../../../workflows/messages/run.ts';
import * as windows from '../../../../workflows/messages/windows.ts';
import type { PlanForecast } from '../../../../domain/plan/forecast/quoted.ts';
import { chapter } from '../chapter.ts';
import { CONTROL_PLANE, controlPlaneStep, RIN, SAM, UNDO } from '../samples.ts';

const ROLL = 'Karpenter nodes → 1.32';
const STAGING = { name: 'staging', region: 'eu-central-1', account: '111122223333' };

const FORECAST: PlanForecast = {
  kind: 'made',
  snapshotTakenAt: '2026-03-03T10:00:00.000Z',
  madeAt: '2026-03-03T10:05:00.000Z',
  ageMs: 7_200_000,
  total: { p50: 190 * 60_000, p90: 245 * 60_000 },
  steps: [],
  blockers: {
    count: 1,
    nodeCount: 1,
    pods: [{ pod: 'shop/web-0', node: 'ip-10-0-1-7', workload: 'StatefulSet shop/web', team: 'shop', reason: 'budget', budgets: ['web'] }],
  },
  downtimes: { count: 1, workloads: [{ workload: 'Deployment shop/cart', down: { p50: 120_000, p90: 240_000 } }] },
  nodesReplaced: { p50: 45, p90: 47 },
  limitCount: 2,
};

export const planChapter = chapter('Plan at the first gate', 'workflows/messages/plan.ts', plan, {
  planInShort: [
    [
      {
        steps: [controlPlaneStep],
        hops: ['1.32'],
        strategy: 'every-hop',
        strategies: [],
        expectedMs: 3_600_000,
        hash: '5f1d0c3a9b7e42c8',
      },
    ],
  ],
  planForecast: [
    [FORECAST],
    [{ ...FORECAST, ageMs: 9 * 86_400_000, another: 'strategy once-at-the-end' }],
    [{ kind: 'unread', why: 'the records directory cannot be read: EACCES' }],
  ],
  forecastDetailsOf: [['staging', '1.32', { kind: 'refused', violations: [] }]],
  planFindings: [
    [
      {
        findings: [
          {
            code: 'PLN005',
            title: 'Not checked yet',
            severity: 'recommended',
            status: 'unknown',
            message: 'Not checked yet: removed APIs. The pre-checks of each hop look for them.',
            resources: [],
            resourceCount: 0,
          },
        ],
      },
    ],
  ],
});

export const runChapter = chapter('Run', 'workflows/messages/run.ts', run, {
  planning: [[]],
  planningDetails: [['staging', '1.32']],
  startRefused: [['Your Slack account is deactivated.']],
  requesterUnread: [[]],
  startedByReset: [[]],
  startSignedAtOtherTime: [[]],
  planProblem: [[{ rule: 'no-skipped-minor', message: 'EKS moves one minor at a time.', remedy: 'Choose 1.32.' }]],
  planRefused: [[['no-skipped-minor: EKS moves one minor at a time. Remedy: Choose 1.32.']]],
  rollbackPointMissing: [['the API server answered 500.']],
  pausedBefore: [[CONTROL_PLANE]],
  stillPaused: [
    ['staging', { step: CONTROL_PLANE, days: 1, isFrozen: true }],
    ['staging', { step: CONTROL_PLANE, days: 3, isFrozen: false }],
  ],
  runResumed: [[]],
  earlierStepRuns: [[CONTROL_PLANE]],
  earlierStepStays: [[CONTROL_PLANE, 'eks-upgrade/staging/control-plane@1.32']],
  stepCancelled: [[CONTROL_PLANE]],
  stepSkipped: [['done by hand']],
  restoreIt: [['staging']],
  skippedBefore: [[CONTROL_PLANE]],
  failedAndUndecided: [[CONTROL_PLANE, 'EKS refused the update.']],
  failedBeforeAbort: [[CONTROL_PLANE]],
  auditRecordAltered: [['entry 14 was changed']],
  auditRecordNotWritten: [['AccessDenied']],
  runCompleted: [
    [{ cluster: STAGING, to: '1.32' }, false],
    [{ cluster: STAGING, to: '1.32', undoes: 'add-ons' }, true],
  ],
  runAborted: [[SAM, 'checkout is failing']],
  runCancelled: [[]],
});

const CLOSED = {
  kind: 'closed',
  why: 'belay.yaml allows changes on weekdays from 09:00 to 17:00',
  now: '2026-11-28T20:00:00.000Z',
  opensAt: '2026-11-30T09:00:00.000Z',
  opensText: 'Mon 2026-11-30 10:00 Europe/Berlin (UTC+01:00)',
} as const;
const AFTER = { environment: 'staging', clusters: [], bakedDays: 3 };

export const windowChapter = chapter('Windows and environments', 'workflows/messages/windows.ts', windows, {
  parkedOutsideWindow: [[CONTROL_PLANE, CLOSED]],
  windowGate: [[{ title: CONTROL_PLANE, undo: UNDO, waitMs: 133_200_000 }, CLOSED]],
  windowOpened: [[]],
  windowMoved: [[]],
  environmentNotReady: [
    [AFTER, '1.32', 'fail'],
    [AFTER, '1.32', 'unknown'],
  ],
  environmentOrderGate: [
    [AFTER, { target: '1.32', why: 'staging has not been at 1.32 for 3 days yet', seen: ['staging-eu is at 1.31, not at 1.32'] }],
  ],
  environmentWaived: [['security fix']],
  environmentCameFirst: [['staging']],
  nothingChangedYet: [[]],
});

const FIRING = { kind: 'firing', alerts: [{ name: 'TargetDown', severity: 'critical', seriesCount: 2, where: 'shop/cart' }] } as const;
const FIRES = { ...FIRING, alerts: [...FIRING.alerts] };
const ERRORS = { kind: 'fail' as const, checks: ['checkout-errors'], lines: ['checkout-errors is 4.1 %, was 0.2 %'] };

export const healthChapter = chapter('Health', 'workflows/messages/health.ts', health, {
  healthChecks: [[[{ kind: 'live', name: 'checkout-errors', baseline: 0.2 }]]],
  blindHealthChecks: [[[{ kind: 'blind', name: 'checkout-errors' }]]],
  parkedByAlerts: [[CONTROL_PLANE, FIRES]],
  alertsProblem: [[FIRES], [{ kind: 'unknown', why: 'Prometheus does not answer' }]],
  alertsGate: [[CONTROL_PLANE, FIRES, UNDO]],
  alertsResolved: [[]],
  healthWarning: [[ROLL, ['latency-p99 is 900 ms, was 310 ms']]],
  rollHeldByHealth: [[ERRORS]],
  healthGate: [[ROLL, ERRORS, { held: true, undo: 'Nothing to undo: nodes that are replaced stay.', back: [] }]],
  stepHasEnded: [[]],
  healthUndecided: [['health:karpenter-drift@1.32#1', 'checkout-errors is 4.1 %, was 0.2 %']],
});

const CRASHES = 'Deployment shop/cart: containers crash again and again (CrashLoopBackOff) for 6 min (cart-7d4b9-x2x8p)';

export const clusterWatchChapter = chapter('Cluster watch', 'workflows/messages/cluster-watch.ts', clusterWatch, {
  newProblems: [[ROLL, [CRASHES]]],
  problemsResolved: [[['Deployment shop/cart: containers crash again and again (CrashLoopBackOff)']]],
  openProblems: [[[CRASHES]]],
  notSeen: [['pods could not be listed']],
  watchEnded: [['the API server does not answer']],
  newsLimitReached: [[40]],
  clusterUnwatched: [['UNKNOWN: the state of the cluster is no longer watched: the API server does not answer']],
  slowerThanUsual: [[controlPlaneStep, 1_020_000]],
  maybeStuck: [[controlPlaneStep, 2_100_000, { name: 'staging', region: 'eu-west-1' }]],
});

export const networkChapter = chapter('Networks', 'workflows/messages/networks.ts', networks, {
  notTaken: [
    ['belay-dmz', 15],
    ['belay-dmz', 15, 'by itself'],
  ],
  networkUnanswered: [['belay-dmz']],
  waitsForWorker: [['belay-dmz']],
  pollersUnknown: [['belay-dmz', 'Request unauthorized.']],
  queueUnpolled: [['belay-dmz', 'staging']],
  queueUnread: [['belay-dmz', 'Request unauthorized.']],
  queuePolled: [['belay-dmz']],
});

const WINDOW = { backTo: '1.31', closesAt: '2026-11-29T09:12:00.000Z' };
const ROLLBACK = { updateId: 'u-1', to: '1.31', beganAt: '2026-11-28T09:12:00.000Z', ended: false };

export const rollbackWindowChapter = chapter('Rollback window', 'workflows/messages/rollback-window.ts', rollbackWindow, {
  rollbackWindowOpen: [['staging', '1.32', WINDOW]],
  rollbackWindowCloses: [['staging', '1.32', WINDOW, { left: 'one more day', slash: true }]],
  rollbackWindowClosed: [['staging', '1.32', WINDOW]],
  updateStillRuns: [['staging', 'u-1', '1.32']],
  updateOutlivedRun: [['staging', '1.32', WINDOW]],
  unrequestedRollbackSeen: [
    [STAGING, ROLLBACK, true],
    [STAGING, { ...ROLLBACK, ended: true }, true],
    [STAGING, ROLLBACK, false],
  ],
  rollbackEvidenceTitle: [['FAILED'], ['UNKNOWN']],
  unrequestedRollbackLines: [[ROLLBACK, 'eu-central-1']],
  notBegunBecauseOfRollback: [[ROLL]],
});

export const commandChapter = chapter('Commands', 'workflows/messages/commands.ts', commands, {
  pauseAccepted: [
    [SAM, { running: CONTROL_PLANE, next: ROLL }],
    [SAM, { running: undefined, next: CONTROL_PLANE }],
  ],
  alreadyPaused: [[]],
  resumed: [[SAM]],
  notPaused: [[]],
  abortAccepted: [[]],
  abortRequestedBy: [[SAM, 'checkout is failing']],
  handedOver: [[RIN, SAM]],
  alreadyTheirs: [[RIN]],
  handedOverToYou: [[RIN, SAM, 'my shift ends']],
  upgradeOver: [
    ['staging is at 1.32', false],
    ['Aborted by Sam', true],
  ],
  endedBeforePolicy: [[]],
  commandRefused: [['abort', SAM, 'The signature of this message is not valid.']],
  rightsUnread: [[]],
  noRunNamed: [[]],
  earlierRun: [[]],
  paceSet: [['10%'], ['automatic']],
  paceNeedsApproval: [['pace:karpenter-drift@1.32#1']],
  paceWaitsAlready: [['pace:karpenter-drift@1.32#1']],
  notAPace: [['fast']],
  nothingRolls: [[]],
  paceNotSet: [[SAM, 'the step has ended']],
  rollHasEnded: [[]],
  otherPaceChosen: [[]],
});
