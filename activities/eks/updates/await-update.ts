/** Follows an update by its id to its end, then reads the resource until it agrees: EKS is eventually consistent. */
import type { Update } from '@aws-sdk/client-eks';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { compareAfter } from '../../clients/side-effects/eks-updates.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { describeUpdate, hasEnded, nameOf } from '../../clients/aws/eks-api.ts';
import { type ResourceState, readResource } from './resource-state.ts';
import { readRoll, withBlockers } from './eviction-blockers.ts';
import { explainErrors } from './update-errors.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { EksActivities, UpdateOutcome } from '../../contract/eks.ts';
import { defined } from '../../../domain/core/defined.ts';

type Input = Parameters<EksActivities['awaitUpdate']>[0];

/** After Successful the resource may take this many longest polls to say so itself. */
const AGREEMENT_POLLS = 5;
/** Polls may be shortened by configuration; EKS's own propagation is not. It ends as soon as the resource agrees. */
const AGREEMENT_MIN_MS = 10_000;
/** An id that EKS has just given out may be unknown to its readers for a moment. */
const UNKNOWN_ID_POLLS = 3;

/** Compares the resource with what it was before, however the update has ended. */
export async function awaitUpdate(aws: AwsClients, kubernetes: () => Promise<KubernetesPort>, input: Input): Promise<UpdateOutcome> {
  const outcome = await followUpdate(aws, kubernetes, input);
  const { cluster: ref, resource, before } = input;
  if (before === undefined || outcome.status === 'TimedOut' || outcome.status === 'Vanished') return outcome;
  await compareAfter(aws, ref, resource, { before, logs: resource.kind === 'cluster' && input.to === before['version'] });
  return outcome;
}

async function followUpdate(aws: AwsClients, kubernetes: () => Promise<KubernetesPort>, input: Input): Promise<UpdateOutcome> {
  const { cluster: ref, resource, updateId, timing, timeoutMs } = input;
  const name = nameOf(ref, resource);
  let unknownCount = 0;
  const end = await waitUntil<Update | 'unknown'>(
    { timing, timeoutMs, doing: `waiting for update ${updateId} of ${name}`, details: () => ({ updateId }) },
    async () => {
      const update = await describeUpdate(aws, ref, resource, updateId);
      if (update === undefined) {
        unknownCount += 1;
        return unknownCount >= UNKNOWN_ID_POLLS ? { done: true, value: 'unknown' } : { done: false, note: 'EKS does not know the update' };
      }
      unknownCount = 0;
      if (hasEnded(update)) return { done: true, value: update };
      return { done: false, note: update.status === 'InProgress' ? 'in progress' : `EKS says ${update.status}` };
    },
  );
  if (end.kind === 'timed-out') {
    const issues = await readIssues(aws, input);
    if (resource.kind !== 'node-group') return { status: 'TimedOut', errors: [], ...defined({ issues }) };
    const known = issues === undefined || issues.length === 0 ? {} : { issues };
    return { status: 'TimedOut', errors: [], roll: { ...(await readRoll(kubernetes, { group: resource.name, to: input.to })), ...known } };
  }
  if (end.value === 'unknown') return ofUnknown(aws, input);
  const update = end.value;
  const created = update.createdAt === undefined ? {} : { createdAt: update.createdAt.toISOString() };
  switch (update.status) {
    case 'Successful':
      return { ...(await awaitAgreement(aws, input)), ...created };
    case 'Cancelled':
      return { status: 'Cancelled', errors: explainErrors(update.errors), ...reasonOf(update), ...created };
    default: {
      const errors = explainErrors(update.errors);
      const isOfGroup = resource.kind === 'node-group';
      const explained = isOfGroup ? await withBlockers(errors, kubernetes, { group: resource.name, to: input.to }) : errors;
      return { status: 'Failed', errors: explained, ...created };
    }
  }
}

/** No capacity, no addresses: EKS tells while it tries on. undefined: they cannot be read now; they are told with the update's end. */
async function readIssues(aws: AwsClients, { cluster, resource }: Input): Promise<string[] | undefined> {
  const state = await readResource(aws, cluster, resource).catch(() => undefined);
  return state?.health.slice(0, 3).map(({ code, message }) => `${code}${message === '' ? '' : `: ${message}`}`);
}

const reasonOf = ({ cancellation }: Update): { reason?: string } =>
  cancellation?.reason === undefined ? {} : { reason: cancellation.reason.slice(0, 300) };

/** The update is not known any more: what the resource says decides. */
async function ofUnknown(aws: AwsClients, input: Input): Promise<UpdateOutcome> {
  const state = await readResource(aws, input.cluster, input.resource);
  return agrees(state, input.to) ? { status: 'Successful', errors: [] } : { status: 'Vanished', errors: [] };
}

async function awaitAgreement(aws: AwsClients, input: Input): Promise<UpdateOutcome> {
  const { cluster: ref, resource, timing, to } = input;
  const name = nameOf(ref, resource);
  let last: ResourceState | undefined;
  const end = await waitUntil<undefined>(
    {
      timing,
      timeoutMs: Math.max(AGREEMENT_MIN_MS, AGREEMENT_POLLS * timing.pollMaxMs),
      doing: `reading ${name} after its update`,
      details: () => ({ updateId: input.updateId }),
    },
    async () => {
      last = await readResource(aws, ref, resource);
      return agrees(last, to) ? { done: true, value: undefined } : { done: false, note: `${last.version} ${last.status}` };
    },
  );
  if (end.kind === 'done') return { status: 'Successful', errors: [] };
  const seen = last === undefined ? 'it cannot be read' : `it is ${last.status} at ${last.version}`;
  return {
    status: 'Failed',
    errors: [
      {
        code: 'NotAsReported',
        message: `EKS reports the update to ${to} as Successful, but ${seen}: look at ${name} in the EKS console before retrying.`,
        resourceIds: [],
      },
      ...(last?.health ?? []).map((issue) => ({ code: issue.code, message: issue.message, resourceIds: issue.resourceIds })),
    ],
  };
}

function agrees(state: ResourceState, to: string): boolean {
  return state.status === 'ACTIVE' && (state.ownImage || state.version === to);
}
