/** The clock of a cluster's way back: outlives the run that has moved the control plane, and tells its thread before EKS closes the window, and then. */
import { condition, ParentClosePolicy, setCurrentDetails, setHandler, startChild } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ROLLBACK_REMINDERS,
  ROLLBACK_WINDOW_MS,
  type RollbackWindow,
  rollbackClosesAt,
  utcMinute,
  type WayBack,
} from '../domain/rollback-window.ts';
import type { PlannedStep, UpgradePlan } from '../domain/plan/types.ts';
import type { UpgradePolicy } from '../domain/policy.ts';
import type { UpgradeStatus } from '../domain/status.ts';
import { phaseActivities } from './activity-proxies.ts';
import { Announcer } from './announcer.ts';
import { DescentWatch } from './descent-watch.ts';
import { rollbackWindowId } from './ids.ts';
import { controlPlaneMoved, type RollbackWindowInput, WORKFLOWS } from './messages.ts';
import type { PhaseResult } from './phase.ts';
import { handOver } from './tell-later.ts';
import { tellIfAlive } from './tell-workflow.ts';

/** How long the clock may wait for Slack before it hands its words over. */
const LAST_WORDS_MS = 60_000;
/** Timers wake no more often than this, however near a moment is. */
const SHORTEST_WAIT_MS = 1000;

export type RollbackWindowEnd = 'closed' | 'moved-on' | 'rolled-back';

export async function rollbackWindow(first: RollbackWindowInput): Promise<RollbackWindowEnd> {
  let input = first;
  let movedCount = 0;
  setHandler(controlPlaneMoved, (next) => {
    input = next ?? input;
    movedCount += 1;
  });
  const descents = new DescentWatch();
  for (;;) {
    const seenCount = movedCount;
    const { now, back } = await read(input);
    if (seenCount !== movedCount) continue;
    const ended = endOf(back, input.at);
    if (ended === 'closed' && back.kind === 'closed') await tell(input, 'closed', closedText(input, back.window));
    if (ended !== undefined) return ended;
    if (back.kind !== 'open') continue;
    const { reminder, leftMs } = nextMoment(back.window, now);
    setCurrentDetails(
      `EKS takes **${input.cluster.name}** back from ${input.at} to ${back.window.backTo} until ${utcMinute(back.window.closesAt)}.`,
    );
    const waitMs = Math.max(SHORTEST_WAIT_MS, leftMs * pace(input));
    const summary = reminder === undefined ? 'Until the window closes' : `Until there is ${reminder.left}`;
    const isMoved = (): boolean => seenCount !== movedCount;
    if (input.watch === true) {
      const wait = await descents.during(input, { isMoved, waitMs, summary });
      if (wait.kind === 'tell') await tell(input, 'goes-back', wait.text);
      if (wait.kind !== 'due') continue;
    } else if (await condition(isMoved, waitMs, { summary })) continue;
    if (reminder !== undefined) await tell(input, reminder.left, reminderText(input, back.window, reminder.left));
  }
}

/** Timers only wake: what EKS lists decides. */
async function read({ cluster, policy }: RollbackWindowInput): Promise<{ now: string; back: WayBack }> {
  return phaseActivities(policy.timing).owed.readRollbackWindow.executeWithOptions({ summary: 'Until when EKS takes it back' }, [
    { cluster },
  ]);
}

/** undefined: the window is open, for the step that the clock was started for. */
function endOf(back: WayBack, at: string): RollbackWindowEnd | undefined {
  if (back.kind === 'none') return back.why === 'rolled-back' ? 'rolled-back' : 'moved-on';
  if (back.window.at !== at) return 'moved-on';
  return back.kind === 'closed' ? 'closed' : undefined;
}

/** The next time at which something is to be said, and how far it is by EKS's clock. */
function nextMoment({ closesAt }: RollbackWindow, now: string): { reminder?: (typeof ROLLBACK_REMINDERS)[number]; leftMs: number } {
  const leftMs = Date.parse(closesAt) - Date.parse(now);
  const reminder = ROLLBACK_REMINDERS.find(({ beforeMs }) => beforeMs < leftMs);
  return reminder === undefined ? { leftMs } : { reminder, leftMs: leftMs - reminder.beforeMs };
}

/** Shares of the window as it is configured. */
const pace = ({ policy }: RollbackWindowInput): number => (policy.timing.rollbackWindowMs ?? ROLLBACK_WINDOW_MS) / ROLLBACK_WINDOW_MS;

function reminderText({ cluster, at }: RollbackWindowInput, { backTo, closesAt }: RollbackWindow, left: string): string {
  return (
    `There is ${left}: until ${utcMinute(closesAt)} EKS takes ${cluster.name} back from ${at} to ${backTo}, once no node is newer than that. ` +
    `\`belay rollback ${cluster.name} --dry-run\` or \`/eks-upgrade rollback ${cluster.name}\` shows the way; after that there is none.`
  );
}

function closedText({ cluster, at }: RollbackWindowInput, { backTo }: RollbackWindow): string {
  return `${cluster.name} stays at ${at}: the seven days in which EKS takes a control plane back to ${backTo} are over.`;
}

async function tell(input: RollbackWindowInput, what: string, text: string): Promise<void> {
  const { upgrade, policy, at } = input;
  const { channel } = policy;
  if (channel === undefined) return;
  const announcer = new Announcer({
    upgrade,
    channel,
    boardEditMs: policy.timing.boardEditMs,
    notePrefix: `rollback-window@${at}/${what.replaceAll(' ', '-')}`,
    quietHours: policy.windows?.quietHours,
  });
  announcer.start();
  announcer.note(text, { level: what === 'closed' ? 'info' : 'warning' });
  await handOver({ upgrade, channel }, await announcer.finish(LAST_WORDS_MS));
}

/** Whoever bakes for longer than this between two hops is reminded in between, too. */
const LONG_BAKE_MS = 24 * 3_600_000;

/** The run's side: says in its status until when its control plane can be taken back, and starts the clock. */
export class WayBackWatch {
  /** A hop that another was to follow soon. */
  #unwatched: RollbackWindowInput | undefined;

  async after(
    { id, params }: PlannedStep,
    { movedAt }: PhaseResult,
    of: { status: UpgradeStatus; policy: RollbackWindowInput['policy'] & Pick<UpgradePolicy, 'staysUp'>; plan: UpgradePlan },
  ): Promise<void> {
    const { status, policy, plan } = of;
    const { workflowId, runId, cluster } = status;
    if (params.phase === 'control-plane-back') return await tellIfAlive(rollbackWindowId(workflowId), controlPlaneMoved, undefined);
    if (params.phase !== 'control-plane' || movedAt === undefined) return;
    status.takeBack = { to: params.from, until: rollbackClosesAt(movedAt) };
    const { channel, timing, windows } = policy;
    if (timing.rollbackWindowMs === undefined) return;
    const own = { channel, timing, ...(windows === undefined ? {} : { windows }) };
    const watch = policy.staysUp === true ? { watch: true as const } : {};
    this.#unwatched = { cluster, upgrade: { workflowId, runId }, policy: own, at: params.to, ...watch };
    const later = plan.steps.slice(plan.steps.findIndex((step) => step.id === id) + 1);
    const isFollowed = later.some(({ phase }) => phase === 'control-plane') && timing.bakeMs < LONG_BAKE_MS;
    if (!isFollowed) await this.start();
  }

  /** Outlives the run. Does nothing where every hop is watched. */
  async start(): Promise<void> {
    const input = this.#unwatched;
    if (input === undefined) return;
    this.#unwatched = undefined;
    const { cluster, upgrade, at } = input;
    const clock = rollbackWindowId(upgrade.workflowId);
    try {
      await startChild<typeof rollbackWindow>(WORKFLOWS.rollbackWindow, {
        workflowId: clock,
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: 'ABANDON',
        staticSummary: `${cluster.name}: the way back from ${at}`,
        staticDetails: `EKS takes a control plane back for seven days. This clock tells the thread of ${upgrade.workflowId} before they are over, and then.`,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await tellIfAlive(clock, controlPlaneMoved, input);
    }
  }
}
