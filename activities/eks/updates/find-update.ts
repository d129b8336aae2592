/** Finds the update that we would make, so that nothing is made twice: one in progress, or one that succeeded since the step began. */
import type { Update, UpdateParamType } from '@aws-sdk/client-eks';
import type { VersionChange } from '../../../domain/facts/rollback-window.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { describeNodegroup, describeUpdate, hasEnded, listUpdateIds } from '../../clients/aws/eks-api.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { UpdateResource } from '../../contract/eks.ts';

export interface FoundUpdates {
  /** Of the right type and version, in progress. */
  running?: Update;
  /** Of the right type and version, successful, created at or after `notBefore`. */
  succeeded?: Update;
  /** Not ended, but something else, or being cancelled. */
  other?: Update;
  /** Of the right type and version, failed or cancelled, created at or after `notBefore`; the newest. */
  failed?: Update;
}

/** Ended updates never change again: remembered per client, so that a long history is read once. */
const ended = new WeakMap<AwsClients, Map<string, Update>>();
const REMEMBERED = 2_000;

/** `notBefore`: ISO 8601 by EKS's clock. */
export async function findUpdates(
  aws: AwsClients,
  ref: ClusterRef,
  resource: UpdateResource,
  to: string,
  notBefore: string,
): Promise<FoundUpdates> {
  const found: FoundUpdates = {};
  const updates = await readUpdates(aws, ref, resource);
  const ownImage = await hasOwnImage(aws, ref, resource, updates);
  for (const update of updates) {
    const fits = isUpdateTo(update, resource, to, ownImage);
    if (!hasEnded(update)) {
      // One that is being cancelled leads nowhere: it is waited for, and not adopted.
      if (fits && update.status === 'InProgress') found.running = update;
      else found.other = update;
    } else if (fits && createdMs(update) >= Date.parse(notBefore)) {
      if (update.status === 'Successful') found.succeeded = newer(found.succeeded, update);
      else found.failed = newer(found.failed, update);
    }
  }
  return found;
}

/** All updates of the resource itself that have not ended. */
export async function runningUpdates(aws: AwsClients, ref: ClusterRef, resource: UpdateResource): Promise<Update[]> {
  return (await readUpdates(aws, ref, resource)).filter((update) => !hasEnded(update));
}

/** How the control plane came to its version: changes that have succeeded. */
export async function versionChanges(aws: AwsClients, ref: ClusterRef): Promise<VersionChange[]> {
  return (await readUpdates(aws, ref, { kind: 'cluster' })).flatMap((update): VersionChange[] => {
    const { type, status, createdAt } = update;
    const to = parameterOf(update, 'Version');
    if ((type !== 'VersionUpdate' && type !== 'VersionRollback') || status !== 'Successful') return [];
    return to === undefined || createdAt === undefined ? [] : [{ type, to, createdAt: createdAt.toISOString() }];
  });
}

/** Rollbacks of the control plane that run or have succeeded, in the order in which they began. */
export async function rollbacks(aws: AwsClients, ref: ClusterRef): Promise<Update[]> {
  const all = await readUpdates(aws, ref, { kind: 'cluster' });
  return all
    .filter(({ type, status }) => type === 'VersionRollback' && (status === 'InProgress' || status === 'Successful'))
    .toSorted((a, b) => createdMs(a) - createdMs(b));
}

/**
 * Asked only where it decides. An update of a group with an image of its own names a launch template version and no version of Kubernetes ("if your
 * launch template uses a custom AMI, then don't specify version": EKS API reference, UpdateNodegroupVersion). Of any other group it is somebody's roll
 * to another template version.
 */
async function hasOwnImage(aws: AwsClients, ref: ClusterRef, resource: UpdateResource, updates: readonly Update[]): Promise<boolean> {
  if (resource.kind !== 'node-group' || !updates.some(isOfTemplateAlone)) return false;
  return (await describeNodegroup(aws, ref, resource.name)).amiType === 'CUSTOM';
}

const isOfTemplateAlone = (update: Update): boolean =>
  update.type === 'VersionUpdate' &&
  parameterOf(update, 'Version') === undefined &&
  parameterOf(update, 'LaunchTemplateVersion') !== undefined;

/** Type and version parameter are those of an update of this resource to `to`. */
function isUpdateTo(update: Update, resource: UpdateResource, to: string, ownImage: boolean): boolean {
  switch (resource.kind) {
    case 'cluster':
      return (update.type === 'VersionUpdate' || update.type === 'VersionRollback') && parameterOf(update, 'Version') === to;
    case 'node-group':
      return isOfTemplateAlone(update) ? ownImage : update.type === 'VersionUpdate' && parameterOf(update, 'Version') === to;
    case 'add-on':
      return update.type === 'AddonUpdate' && parameterOf(update, 'AddonVersion') === to;
  }
}

export function parameterOf(update: Update, type: UpdateParamType): string | undefined {
  return update.params?.find((parameter) => parameter.type === type)?.value;
}

/** "VersionUpdate to 1.33 (id)": for messages. */
export function sayUpdate(update: Update): string {
  const version = parameterOf(update, 'Version') ?? parameterOf(update, 'AddonVersion');
  return `${update.type ?? 'update'}${version === undefined ? '' : ` to ${version}`} (${update.id ?? 'no id'})`;
}

async function readUpdates(aws: AwsClients, ref: ClusterRef, resource: UpdateResource): Promise<Update[]> {
  const memory = ended.get(aws) ?? new Map<string, Update>();
  ended.set(aws, memory);
  const read = async (id: string): Promise<Update | undefined> => {
    const key = [ref.account, ref.region, ref.name, resource.kind, 'name' in resource ? resource.name : '', id].join('/');
    const update = memory.get(key) ?? (await describeUpdate(aws, ref, resource, id));
    if (update !== undefined && hasEnded(update)) remember(memory, key, update);
    return update;
  };
  const ids = await listUpdateIds(aws, ref, resource);
  const updates = await someAtOnce(ids, read);
  return updates.filter((update) => update !== undefined);
}

function remember(memory: Map<string, Update>, key: string, update: Update): void {
  const oldest = memory.size >= REMEMBERED ? memory.keys().next() : undefined;
  if (oldest?.done === false) memory.delete(oldest.value);
  memory.set(key, update);
}

function newer(a: Update | undefined, b: Update): Update {
  return a === undefined || createdMs(b) > createdMs(a) ? b : a;
}

function createdMs(update: Update): number {
  return update.createdAt?.getTime() ?? 0;
}
