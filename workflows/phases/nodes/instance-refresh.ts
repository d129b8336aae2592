/** One Auto Scaling group of one's own, refreshed by Belay: agreed, drained, told step by step, stopped or rolled back by a button. */
import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';
import type { RefreshableGroup, RefreshOutcome } from '../../../activities/contract/self-managed.ts';
import type { Phase } from '../base/phase.ts';
import { messageOf } from '../../runtime/root-cause.ts';
import { BlockedNodes } from './blocked-nodes.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { hookNotRemoved, hookRemoved, refreshEnded, refreshing, refreshNotStopped } from '../../messages/nodes/self-managed.ts';
import { agree, type Wanted } from './refresh-gate.ts';
import { offerStop, type Stopped } from './refresh-stop.ts';
import { RefreshWatch } from './refresh-watch.ts';

/** `left`: somebody stopped it, so nodes stay as they are. */
type Refreshed = { kind: 'done' } | { kind: 'ask'; why: string } | { kind: 'left'; told: string };

export async function refreshGroup(phase: Phase, wanted: Wanted): Promise<Refreshed> {
  const agreed = await agree(phase, wanted);
  if (agreed.kind === 'ask') return agreed;
  const drain = agreed.hooks.length === 0;
  const blocked = new BlockedNodes(phase);
  let clean = false;
  try {
    // An abort between sending and recording must still find the hook and the refresh, so neither is cancellable.
    const begun = await CancellationScope.nonCancellable(() => begin(phase, wanted, agreed, drain));
    const ended = await followOrStop(phase, { ...wanted, ...begun, drain, canGoBack: goesBack(agreed), blocked });
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

/** "A rollback is not supported" for a template that names its image by a parameter, and for $Latest (Auto Scaling API reference, RefreshPreferences). */
const goesBack = ({ followsLatest, parameter }: RefreshableGroup): boolean => !followsLatest && parameter !== true;

/** Template version, hook, refresh: each is looked for before it is made. */
async function begin(
  phase: Phase,
  { group, to, minHealthyPercent }: Wanted,
  agreed: RefreshableGroup,
  drain: boolean,
): Promise<Pick<Running, 'refreshId' | 'template'>> {
  const { cluster, timing, activities } = phase;
  const { templateId, source, image, followsLatest, size } = agreed;
  const { version } = await activities.quick.addTemplateVersion.executeWithOptions({ summary: `Add the image to ${templateId}` }, [
    { cluster, templateId, source, image, to, token: phase.token('CreateLaunchTemplateVersion', group) },
  ]);
  unlessStopping(phase);
  if (drain) {
    await activities.quick.holdTerminating.executeWithOptions({ summary: `Hold instances of ${group} until they are drained` }, [
      { cluster, group },
    ]);
  }
  unlessStopping(phase);
  const template = { id: templateId, version };
  const { refreshId, adopted } = await activities.quick.startInstanceRefresh.executeWithOptions(
    { summary: `Start or adopt the refresh of ${group}` },
    [{ cluster, group, size, ...(followsLatest ? {} : { template }), minHealthyPercent, checkpointDelayMs: timing.waveBakeMs }],
  );
  phase.now(refreshing({ group, templateId, version, adopted }));
  return { refreshId, template };
}

/** What has been sent is finished although the run is being stopped, and nothing more is begun: an abort may come meanwhile, or at a gate about the template. */
function unlessStopping(phase: Phase): void {
  if (phase.isStopping || phase.isAborting) throw new CancelledFailure('aborted before the refresh began');
}

interface Running extends Wanted {
  refreshId: string;
  template: { id: string; version: string };
  drain: boolean;
  canGoBack: boolean;
  blocked: BlockedNodes;
}

/** A gate stands open all the while: it closes by itself when the refresh ends. */
async function followOrStop(phase: Phase, running: Running): Promise<Refreshed> {
  let over: string | undefined;
  let failure: unknown;
  const asking = offerStop(phase, running, () => over).catch((error: unknown) => {
    if (!isCancellation(error)) failure = error;
    return undefined;
  });
  const watch = new RefreshWatch(phase, running);
  try {
    const outcome = await watch.toItsEnd();
    over = refreshEnded(outcome.kind === 'done' ? 'done' : 'ended');
    const stopped = await asking;
    if (failure !== undefined) throw failure;
    return judge(outcome, running, stopped);
  } finally {
    const why = (over ??= refreshEnded('unwatched'));
    await CancellationScope.nonCancellable(async () => {
      await watch.end(why);
      await asking;
    });
  }
}

function judge(outcome: RefreshOutcome, { group, to }: Wanted, stopped: Stopped | undefined): Refreshed {
  if (outcome.kind === 'done') return { kind: 'done' };
  const why = 'why' in outcome && outcome.why !== '' ? `: ${outcome.why}` : '';
  const status = outcome.kind === 'ended' ? outcome.status : 'not done in time';
  if (stopped === 'roll-back' && status === 'RollbackSuccessful') return { kind: 'left', told: `${group} was rolled back, as decided` };
  if (stopped === 'cancel' && status === 'Cancelled') return { kind: 'left', told: `the refresh of ${group} was stopped, as decided` };
  throw phaseFailed(
    `Refreshing ${group} to ${to}: the refresh is ${status}${why}. Instances that are replaced stay so; Retry continues with the others`,
  );
}

/** A refresh that nobody watches any more would end instances that nobody drains. */
async function stopQuietly(phase: Phase, group: string): Promise<void> {
  try {
    await phase.activities.owed.stopInstanceRefresh.executeWithOptions({ summary: `Stop the refresh of ${group}` }, [
      { cluster: phase.cluster, group, how: 'cancel' },
    ]);
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored({ what: `instance refresh of ${group}`, why }, refreshNotStopped(group, 'cancel', why), { saysHow: true });
  }
}

/** Without it instances end undrained, so after a bad end it is said what that means. */
async function removeHook(phase: Phase, group: string, early: boolean): Promise<void> {
  try {
    await phase.activities.owed.releaseTerminating.executeWithOptions({ summary: `Remove lifecycle hook belay-drain of ${group}` }, [
      { cluster: phase.cluster, group },
    ]);
    if (early) phase.announcer.note(hookRemoved(group));
  } catch (error) {
    const why = messageOf(error);
    phase.notRestored({ what: `lifecycle hook belay-drain of ${group}`, why }, hookNotRemoved(group, why), { saysHow: true });
  }
}
