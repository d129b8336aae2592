/** One Auto Scaling group of one's own, refreshed by Belay: agreed, drained, told step by step, stopped or rolled back by a button. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { RefreshableGroup, RefreshOutcome } from '../../../activities/contract/self-managed.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { BlockedNodes } from './blocked-nodes.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { agree, idPart, type Wanted } from './refresh-gate.ts';

/** `left`: people stopped it, so that nodes stay as they are. */
type Refreshed = { kind: 'done' } | { kind: 'ask'; why: string } | { kind: 'left'; told: string };

export async function refreshGroup(phase: Phase, wanted: Wanted): Promise<Refreshed> {
  const agreed = await agree(phase, wanted);
  if (agreed.kind === 'ask') return agreed;
  const drain = agreed.hooks.length === 0;
  const blocked = new BlockedNodes(phase);
  let clean = false;
  try {
    // An abort between sending and recording must still find the hook and the refresh, so neither is cancellable.
    const refreshId = await CancellationScope.nonCancellable(() => begin(phase, wanted, agreed, drain));
    const ended = await followOrStop(phase, { ...wanted, refreshId, drain, canGoBack: !agreed.followsLatest, blocked });
    clean = true;
    return ended;
  } finally {
    await CancellationScope.nonCancellable(async () => {
      if (!clean) await stopQuietly(phase, wanted.group);
      await blocked.restoreAll();
      if (drain) await removeHook(phase, wanted.group, !clean);
    });
  }
}

/** Template version, hook, refresh: each is looked for before it is made. */
async function begin(phase: Phase, { group, to, minHealthyPercent }: Wanted, agreed: RefreshableGroup, drain: boolean): Promise<string> {
  const { cluster, timing, activities } = phase;
  const { templateId, source, image, followsLatest, size } = agreed;
  const { version } = await activities.quick.addTemplateVersion.executeWithOptions({ summary: `Add the image to ${templateId}` }, [
    { cluster, templateId, source, image, to, token: phase.token('CreateLaunchTemplateVersion', group) },
  ]);
  if (drain) {
    await activities.quick.holdTerminating.executeWithOptions({ summary: `Hold instances of ${group} until they are drained` }, [
      { cluster, group },
    ]);
  }
  const template = followsLatest ? {} : { template: { id: templateId, version } };
  const { refreshId, adopted } = await activities.quick.startInstanceRefresh.executeWithOptions(
    { summary: `Start or adopt the refresh of ${group}` },
    [{ cluster, group, size, ...template, minHealthyPercent, checkpointDelayMs: timing.waveBakeMs }],
  );
  phase.now(
    `Auto Scaling replaces the instances of ${group} by version ${version} of ${templateId}${adopted ? ' (adopted: it ran already)' : ''}.`,
  );
  return refreshId;
}

interface Running extends Wanted {
  refreshId: string;
  drain: boolean;
  canGoBack: boolean;
  blocked: BlockedNodes;
}

/** A gate stands open all the while: it closes by itself when the refresh ends. */
async function followOrStop(phase: Phase, running: Running): Promise<Refreshed> {
  const { group, canGoBack } = running;
  const { step, round } = phase.input;
  let over: string | undefined;
  let stopped: 'cancel' | 'roll-back' | undefined;
  let failure: unknown;
  const asking = phase.gates
    .ask(
      {
        id: gateId('blocked', step.id, round, idPart(group)),
        step: step.id,
        title: `The instances of ${group} are being replaced: stop it?`,
        next: 'Nothing has to be pressed: this closes when the refresh ends.',
        evidence: [],
        undo: 'Instances that are replaced already stay so when it is stopped, and go back when it is rolled back.',
        choices: [
          {
            id: 'stop',
            label: 'Stop here',
            style: 'danger',
            does: 'Cancels the refresh. New nodes stay, old ones stay; validation names them.',
          },
          ...(canGoBack
            ? [
                {
                  id: 'roll-back' as const,
                  label: 'Roll back',
                  style: 'danger' as const,
                  needsReason: true,
                  does: 'Auto Scaling replaces the new instances with old ones.',
                },
              ]
            : []),
        ],
        deadlineMs: phase.timing.askTimeoutMs,
        reminders: false,
      },
      () => over,
    )
    .then(async (state) => {
      if (state.kind !== 'decided') return;
      stopped = state.decision.choice === 'roll-back' ? 'roll-back' : 'cancel';
      await stop(phase, group, stopped);
    })
    .catch((error: unknown) => {
      if (!isCancellation(error)) failure = error;
    });
  try {
    const outcome = await follow(phase, running);
    over = outcome.kind === 'done' ? 'the refresh is done' : 'the refresh has ended';
    await asking;
    if (failure !== undefined) throw failure;
    return judge(outcome, running, stopped);
  } finally {
    over ??= 'it is no longer watched';
    await CancellationScope.nonCancellable(() => asking);
  }
}

function judge(outcome: RefreshOutcome, { group, to }: Wanted, stopped: 'cancel' | 'roll-back' | undefined): Refreshed {
  if (outcome.kind === 'done') return { kind: 'done' };
  const why = 'why' in outcome && outcome.why !== '' ? `: ${outcome.why}` : '';
  const status = outcome.kind === 'ended' ? outcome.status : 'not done in time';
  if (stopped === 'roll-back' && status === 'RollbackSuccessful')
    return { kind: 'left', told: `${group} was rolled back, as people decided` };
  if (stopped === 'cancel' && status === 'Cancelled')
    return { kind: 'left', told: `the refresh of ${group} was stopped, as people decided` };
  throw phaseFailed(
    `Refreshing ${group} to ${to}: the refresh is ${status}${why}. Instances that are replaced stay so; Retry continues with the others`,
  );
}

/** To the end: people are told of progress, and asked where a node cannot be drained. */
async function follow(phase: Phase, { group, refreshId, drain, blocked }: Running): Promise<RefreshOutcome> {
  const ownerKeys = phase.input.policy.karpenter.ownerKeys ?? [];
  const startedAtMs = Date.now();
  let told = 0;
  for (;;) {
    const timeoutMs = Math.max(1, phase.timing.nodeGroupTimeoutMs - (Date.now() - startedAtMs));
    const outcome = await phase.activities.watch.watchInstanceRefresh.executeWithOptions({ summary: `Watch the refresh of ${group}` }, [
      { ...phase.target, group, refreshId, drain, told, ownerKeys, timeoutMs },
    ]);
    if (outcome.kind === 'progress') {
      told = outcome.percent;
      phase.now(`${group}: ${told} % of the instances are replaced, ${outcome.leftCount} to go.`);
    } else if (outcome.kind === 'blocked') {
      await blocked.ask(outcome.node, `${outcome.percent} % of the instances of ${group} are replaced, ${outcome.leftCount} to go`);
    } else return outcome;
  }
}

async function stop(phase: Phase, group: string, how: 'cancel' | 'roll-back'): Promise<void> {
  await phase.activities.quick.stopInstanceRefresh.executeWithOptions({ summary: `Stop the refresh of ${group} (${how})` }, [
    { cluster: phase.cluster, group, how },
  ]);
  phase.now(how === 'cancel' ? `The refresh of ${group} is being stopped.` : `The refresh of ${group} is being rolled back.`);
}

/** A refresh that nobody watches any more would end instances that nobody drains. */
async function stopQuietly(phase: Phase, group: string): Promise<void> {
  try {
    await phase.activities.owed.stopInstanceRefresh.executeWithOptions({ summary: `Stop the refresh of ${group}` }, [
      { cluster: phase.cluster, group, how: 'cancel' },
    ]);
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored({ what: `instance refresh of ${group}`, why }, `The instance refresh of ${group} could not be stopped: ${why}`);
  }
}

/** Without it instances end undrained, so after a bad end it is said what that means. */
async function removeHook(phase: Phase, group: string, early: boolean): Promise<void> {
  try {
    await phase.activities.owed.releaseTerminating.executeWithOptions({ summary: `Remove lifecycle hook belay-drain of ${group}` }, [
      { cluster: phase.cluster, group },
    ]);
    if (early)
      phase.announcer.note(
        `The refresh of ${group} is stopped and lifecycle hook belay-drain is removed: an instance that was on its way out ends now.`,
        { level: 'warning' },
      );
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored(
      { what: `lifecycle hook belay-drain of ${group}`, why },
      `Lifecycle hook belay-drain of ${group} could not be removed: ${why}. Instances of the group wait two hours before they end until somebody deletes it.`,
    );
  }
}
