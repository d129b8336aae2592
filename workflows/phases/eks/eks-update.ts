/** What every phase that goes through an EKS update shares: the clock, adopting what others start, watching to the end, and how one ended. */
import { CancellationScope, condition } from '@temporalio/workflow';
import type { ApplicationFailure } from '@temporalio/common';
import type { FailureCause } from '../../../domain/run/failure-causes.ts';
import { adviceOn } from '../../../domain/tables/failures.ts';
import type { Phase } from '../base/phase.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import type { NewerAddOn, StartedUpdate, UpdateOutcome, UpdateResource } from '../../../activities/contract/eks.ts';

/** EKS's own time, ISO 8601: updates that began before it are none of this step's. */
export async function readEksClock(phase: Phase): Promise<string> {
  const clock = await phase.activities.quick.readClock.executeWithOptions({ summary: "Read EKS's clock" }, [{ cluster: phase.cluster }]);
  return clock.eks;
}

/** Waits until EKS lists the update that somebody else was asked to start. */
export async function adoptForeign(
  phase: Phase,
  of: NewerAddOn & { resource: UpdateResource; to: string; notBefore: string; from?: string; summary: string; waitingFor: string },
): Promise<StartedUpdate> {
  const { summary, waitingFor, ...awaited } = of;
  const found = await phase.activities.watch.awaitForeignUpdate.executeWithOptions({ summary }, [{ ...phase.target, ...awaited }]);
  if (found.timedOut) throw phaseFailed(`Waiting for ${waitingFor}: EKS lists no such update`);
  return found;
}

/** Waits for the Terraform apply of the control plane's version, once it has been asked for. `update`: what EKS lists then, "a rollback". */
export function adoptTerraforms(
  phase: Phase,
  { from, to, notBefore, update }: { from: string; to: string; notBefore: string; update: string },
): Promise<StartedUpdate> {
  return adoptForeign(phase, {
    resource: { kind: 'cluster' },
    from,
    to,
    notBefore,
    summary: `Wait until EKS lists ${update} to ${to}`,
    waitingFor: `the Terraform apply of ${to}`,
  });
}

export interface Watched {
  resource: UpdateResource;
  updateId: string;
  to: string;
  timeoutMs: number;
  /** Of the activity. */
  summary: string;
}

/**
 * Nobody can stop an EKS update, so nobody stops watching it: not an abort, not a cancellation. Only another run that watches it instead does, or people who
 * were asked (`isLeft`), which ends as TimedOut.
 */
export function watchToEnd(phase: Phase, { summary, ...update }: Watched, isLeft: () => boolean = () => false): Promise<UpdateOutcome> {
  return CancellationScope.nonCancellable(async () => {
    const scope = new CancellationScope({ cancellable: true });
    const watch = scope.run(() => phase.activities.watch.awaitUpdate.executeWithOptions({ summary }, [{ ...phase.target, ...update }]));
    let hasEnded = false;
    const ended = watch.then(
      () => void (hasEnded = true),
      () => void (hasEnded = true),
    );
    await condition(() => hasEnded || phase.isTakenOver || isLeft());
    if (hasEnded) return await watch;
    scope.cancel();
    await ended;
    if (!phase.isTakenOver) return { status: 'TimedOut', errors: [] };
    throw phaseFailed(`EKS update ${update.updateId}: another run of this cluster watches it from here on`);
  });
}

/** What the update was of; `own`: Belay starts it itself, so it can start it in another way. */
export type Blamed = Pick<FailureCause, 'resource' | 'own'>;

/** `what` is the start of a sentence, e.g. "EKS update 1a2b to 1.33". */
export function endedBadly(what: string, { status, errors, reason }: UpdateOutcome, blamed: Blamed = {}): ApplicationFailure {
  const lines = errors.map(({ code, message, resourceIds }) => {
    const where = resourceIds.length > 0 ? ` (${resourceIds.slice(0, 3).join(', ')})` : '';
    return `${code}: ${message}${where}`;
  });
  if (reason !== undefined) lines.unshift(reason);
  return phaseFailed(
    `${what} ended ${status}${lines[0] === undefined ? '' : `: ${lines[0]}`}`,
    [{ title: 'EKS says', lines: lines.slice(0, 5) }],
    errors.length === 0 && status !== 'Failed'
      ? [{ scope: 'belay', code: status, ...blamed }]
      : errors.map(({ code }) => causeOf(code, blamed)),
  );
}

/** An update's own codes; issues of the resource stand behind NotAsReported. */
function causeOf(code: string, blamed: Blamed): FailureCause {
  const scopes = ['update', blamed.resource?.kind, 'belay'] as const;
  const scope = scopes.find((each) => each !== undefined && adviceOn({ scope: each, code }) !== undefined);
  return { scope: scope ?? 'update', code, ...blamed };
}

/** What EKS finds wrong with a resource. */
export function issueCauses(
  issues: readonly { code: string }[] | undefined,
  blamed: Blamed & { resource: { kind: 'node-group' | 'add-on' } },
): FailureCause[] {
  return (issues ?? []).map(({ code }) => ({ scope: blamed.resource.kind, code, ...blamed }));
}
