/** Requests to EKS that conformance makes, and how it waits for their end. */
import { CannotTry, type Ground } from './check.ts';
import {
  type Addon,
  DescribeAddonCommand,
  DescribeUpdateCommand,
  type Update,
  UpdateAddonCommand,
  type UpdateAddonRequest,
} from '@aws-sdk/client-eks';
import { abort, addOnNames, updateIdsOf } from './eks-lists.ts';
import { hasEnded } from '../../clients/aws/eks-api.ts';
import { randomUUID } from 'node:crypto';
import { within } from './look.ts';

export const listed = (tags: Record<string, string>): string =>
  Object.keys(tags)
    .toSorted()
    .map((key) => `${key}=${tags[key]}`)
    .join();

export async function describe(ground: Ground, addonName: string | undefined): Promise<Addon> {
  const { addon } = await ground.eks.send(new DescribeAddonCommand({ clusterName: ground.ref.name, addonName }), abort());
  if (addon === undefined) throw new CannotTry(`DescribeAddon answered without ${addonName}`, 'unanswered');
  return addon;
}

/** An ACTIVE add-on that fits. `what`: what it has. */
export async function addOnWith(ground: Ground, fits: (addOn: Addon) => boolean, what: string): Promise<Addon> {
  for (const name of await addOnNames(ground)) {
    const addOn = await describe(ground, name);
    if (addOn.status === 'ACTIVE' && fits(addOn)) return addOn;
  }
  throw new CannotTry(`no add-on that is ACTIVE has ${what}`);
}

export const anyAddOn = (ground: Ground): Promise<Addon> => addOnWith(ground, () => true, 'any status');

/** An update to the version that the add-on has, with its role. */
export function again(ground: Ground, addOn: Addon, more: Partial<UpdateAddonRequest>): UpdateAddonRequest {
  return {
    clusterName: ground.ref.name,
    addonName: addOn.addonName,
    addonVersion: addOn.addonVersion,
    serviceAccountRoleArn: roleOf(addOn),
    resolveConflicts: 'PRESERVE',
    clientRequestToken: randomUUID(),
    ...more,
  };
}

export const sendRaw = (ground: Ground, request: UpdateAddonRequest) => ground.eks.send(new UpdateAddonCommand(request), abort());

export async function send(ground: Ground, request: UpdateAddonRequest): Promise<Update> {
  const { update: made } = await sendRaw(ground, request);
  if (made?.id === undefined) throw new CannotTry('UpdateAddon answered without an update', 'unanswered');
  return made;
}

export async function statusOf(ground: Ground, { addonName }: Addon, { id: updateId }: Update): Promise<Update['status']> {
  const asked = new DescribeUpdateCommand({ name: ground.ref.name, addonName, updateId });
  return (await ground.eks.send(asked, abort())).update?.status;
}

/** Until the update has ended and the add-on is ACTIVE again. Answers with the update's last status. */
export async function end(ground: Ground, addOn: Addon, made: Update): Promise<string | undefined> {
  let status: Update['status'];
  const ended = await within(ground, async () => {
    status = await statusOf(ground, addOn, made);
    if (!hasEnded({ status })) return false;
    return (await describe(ground, addOn.addonName)).status !== 'UPDATING';
  });
  if (!ended) throw new CannotTry(`update ${made.id} of ${addOn.addonName} has not ended`, 'unanswered');
  return status;
}

export async function lastUpdate(ground: Ground, { addonName }: Addon): Promise<Update> {
  const updateIds = await updateIdsOf(ground, { addonName });
  const all = await Promise.all(
    updateIds.map(
      async (updateId) =>
        (await ground.eks.send(new DescribeUpdateCommand({ name: ground.ref.name, addonName, updateId }), abort())).update ?? [],
    ),
  );
  const [newest] = all.flat().toSorted((a, b) => (b.createdAt?.getTime() ?? 0) - (a.createdAt?.getTime() ?? 0));
  if (newest === undefined) throw new CannotTry(`EKS remembers no update of ${addonName}`, 'unanswered');
  return newest;
}

/** Sends exactly this, and waits for its end. CannotTry where it does not succeed: what it leaves as it was proves nothing. */
export async function update(ground: Ground, addOn: Addon, settings: Partial<UpdateAddonRequest>): Promise<void> {
  const { addonName, addonVersion } = addOn;
  const base = { clusterName: ground.ref.name, addonName, addonVersion, resolveConflicts: 'PRESERVE' as const };
  const made = await send(ground, { ...base, clientRequestToken: randomUUID(), ...settings });
  const status = await end(ground, addOn, made);
  if (status !== 'Successful') throw new CannotTry(`update ${made.id} of ${addonName} ended as ${status}`, 'unanswered');
}

export const roleOf = ({ serviceAccountRoleArn = '' }: Addon): string | undefined =>
  serviceAccountRoleArn === '' ? undefined : serviceAccountRoleArn;
