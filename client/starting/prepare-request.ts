/** Prepares a request to plan or start an upgrade: what was asked for, resolved against the cluster and its policy. */
import { type BackRequest, type PlanRequest, UpgradesError, type UpgradesSettings } from '../calls/contract.ts';
import type { UpgradeInput } from '../../workflows/contract/messages.ts';
import { TASK_QUEUE } from '../../workflows/contract/ids.ts';
import { isStepName } from '../../domain/plan/undo/undo-input.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { defined } from '../../domain/core/defined.ts';
import { messageOf } from '../../domain/core/unknown.ts';
import { actorName } from '../../domain/gates/actor.ts';
import { notAMinor, notAStep } from '../calls/messages.ts';

/** What is asked for: an upgrade, or the way back. */
export type Asked = PlanRequest | (BackRequest & { back: true });

export interface Prepared {
  input: UpgradeInput;
  taskQueue: string;
}

/** Parsed at the edge: the cluster's identity and the target's form. */
export function prepare(settings: UpgradesSettings, request: PlanRequest): Prepared {
  const cluster = resolve(settings, request.cluster);
  const minor = /^v?(\d{1,2}\.\d{1,3})$/.exec(request.target)?.[1];
  if (minor === undefined) {
    throw new UpgradesError('invalid', notAMinor(request.target));
  }
  const { strategy, requestedBy, campaign } = request;
  return {
    input: { cluster, target: minor, strategy, requestedBy, ...defined({ campaign }) },
    taskQueue: settings.taskQueue ?? TASK_QUEUE,
  };
}

/** The target of a way back is not known before the cluster has been read. */
export function preparedFor(settings: UpgradesSettings, request: Asked): Prepared {
  if (!('back' in request)) return prepare(settings, request);
  const { requestedBy, undo, campaign } = request;
  const cluster = resolve(settings, request.cluster);
  if (undo !== undefined && !isStepName(undo)) throw new UpgradesError('invalid', notAStep(undo));
  const input = { cluster, target: 'back', back: true as const, undo, requestedBy, ...defined({ campaign }) };
  return { input, taskQueue: settings.taskQueue ?? TASK_QUEUE };
}

/** The cluster's identity; an unknown name is bad input. */
export function resolve(settings: UpgradesSettings, name: string): ClusterRef {
  return orInvalid(() => settings.resolveCluster(name));
}

/** What belay.yaml does not allow is bad input. */
export function orInvalid<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw new UpgradesError('invalid', messageOf(error), { cause: error });
  }
}

export function detailsOf(input: UpgradeInput, what: string): string {
  const { cluster, strategy, requestedBy } = input;
  return [
    what,
    '',
    `- Cluster: ${cluster.name} (account ${cluster.account}, ${cluster.region})`,
    `- Target: ${input.target}${strategy === undefined ? '' : `, nodes ${strategy}`}`,
    `- Requested by: ${actorName(requestedBy)} (${requestedBy.kind})`,
  ].join('\n');
}
