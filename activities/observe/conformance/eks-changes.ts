/** Tries what is believed of EKS's updates, by updates of an add-on to the version that it has and by requests that are to be refused. */
import { randomUUID } from 'node:crypto';
import {
  type Addon,
  DescribeClusterCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateClusterVersionCommand,
  UpdateNodegroupVersionCommand,
} from '@aws-sdk/client-eks';
import type { Verdict } from '../../../domain/tables/beliefs/verdict.ts';
import { broken, type ChangeCheck, type Ground, held, type Owe, untried } from './check.ts';
import { abort, identitiesByRole, updateIdsOf } from './eks-lists.ts';
import { clusterOf, nodeGroupsOf } from './eks-reads.ts';
import { refusalOf, within } from './look.ts';
import { addOnWith, again, anyAddOn, describe, end, lastUpdate, listed, roleOf, send, sendRaw, statusOf, update } from './eks-requests.ts';

const TAG = 'belay-conformance';

export const EKS_CHANGES: Readonly<Record<string, ChangeCheck>> = {
  'EKS-ADDON-ROLE': async (ground, owe) => {
    const addOn = await addOnWith(ground, ({ serviceAccountRoleArn = '' }) => serviceAccountRoleArn !== '', 'an IAM role of its own');
    await oweSettings(ground, owe, addOn);
    await update(ground, addOn, {});
    const { serviceAccountRoleArn: role = '' } = await describe(ground, addOn.addonName);
    return role === '' ? held(`${addOn.addonName} has no role any more`) : broken(`${addOn.addonName} still has ${role}`);
  },
  'EKS-ADDON-CONFIGURATION': async (ground, owe) => {
    const addOn = await addOnWith(ground, ({ configurationValues = '' }) => configurationValues !== '', 'configuration values');
    await oweSettings(ground, owe, addOn);
    await update(ground, addOn, { serviceAccountRoleArn: roleOf(addOn) });
    const { configurationValues: now = '' } = await describe(ground, addOn.addonName);
    return now === addOn.configurationValues ? held(`${addOn.addonName} has it still`) : broken(`${addOn.addonName} has "${now}" now`);
  },
  'EKS-ADDON-IDENTITIES': async (ground, owe) => {
    const addOn = await addOnWith(
      ground,
      ({ podIdentityAssociations = [] }) => podIdentityAssociations.length > 0,
      'Pod Identity associations',
    );
    await oweSettings(ground, owe, addOn);
    await update(ground, addOn, { serviceAccountRoleArn: roleOf(addOn) });
    const { podIdentityAssociations: now = [] } = await describe(ground, addOn.addonName);
    const same = now.toSorted().join() === (addOn.podIdentityAssociations ?? []).toSorted().join();
    return same ? held(`${addOn.addonName} has ${now.length} still`) : broken(`${addOn.addonName} has ${now.length} others now`);
  },
  'EKS-TOKEN-SAME': async (ground) => {
    const addOn = await anyAddOn(ground);
    const clientRequestToken = randomUUID();
    const request = again(ground, addOn, { clientRequestToken });
    const first = await send(ground, request);
    const repeated = await refusalOf(sendRaw(ground, request));
    const second = repeated === undefined ? await send(ground, request) : undefined;
    await end(ground, addOn, first);
    if (repeated !== undefined) return broken(`the same request again is refused: ${repeated.name}`);
    return second?.id === first.id
      ? held(`three times update ${first.id}`)
      : broken(`the same request made ${first.id}, then ${second?.id}`);
  },
  'EKS-TOKEN-OTHER': async (ground) => {
    const addOn = await anyAddOn(ground);
    const clientRequestToken = randomUUID();
    const first = await send(ground, again(ground, addOn, { clientRequestToken }));
    await end(ground, addOn, first);
    const other = again(ground, addOn, { clientRequestToken, resolveConflicts: 'OVERWRITE' });
    const refusal = await refusalOf(sendRaw(ground, other));
    if (refusal === undefined) await end(ground, addOn, await lastUpdate(ground, addOn));
    return refusal === undefined ? broken('the other request was accepted') : refused(refusal);
  },
  'EKS-ONE-UPDATE': async (ground) => {
    const addOn = await anyAddOn(ground);
    const first = await send(ground, again(ground, addOn, {}));
    const refusal = await refusalOf(sendRaw(ground, again(ground, addOn, {})));
    if (refusal === undefined) {
      const newest = await lastUpdate(ground, addOn);
      const running = (await statusOf(ground, addOn, first)) === 'InProgress';
      await end(ground, addOn, first);
      await end(ground, addOn, newest);
      return running
        ? broken(`${newest.id} was accepted while ${first.id} is in progress`)
        : untried(`update ${first.id} had ended before the second one`);
    }
    await end(ground, addOn, first);
    return refusal.name === 'ResourceInUseException'
      ? held(`${refusal.name}, ${refusal.status}`)
      : broken(`it is refused with ${refusal.name}`);
  },
  'EKS-UPDATE-LISTED': async (ground) => {
    const addOn = await anyAddOn(ground);
    const made = await send(ground, again(ground, addOn, {}));
    const updateIds = await updateIdsOf(ground, { addonName: addOn.addonName });
    await end(ground, addOn, made);
    return updateIds.includes(made.id ?? '')
      ? held(`${made.id}, one of ${updateIds.length}`)
      : broken(`${made.id} was not listed right after it was accepted`);
  },
  'EKS-ONE-MINOR': async (ground) => {
    const { version = '' } = await clusterOf(ground);
    return refusedVersion(ground, minorAfter(version, 2));
  },
  'EKS-SAME-VERSION': async (ground) => refusedVersion(ground, (await clusterOf(ground)).version ?? ''),
  'EKS-TAGS': async (ground, owe) => {
    const { arn: resourceArn, tags: before = {} } = await clusterOf(ground);
    if (before[TAG] !== undefined) return untried(`the cluster has a tag ${TAG} already`);
    const untag = async (): Promise<void> =>
      void (await ground.eks.send(new UntagResourceCommand({ resourceArn, tagKeys: [TAG] }), abort()));
    owe(`tag ${TAG} of the cluster`, untag);
    await ground.eks.send(new TagResourceCommand({ resourceArn, tags: { [TAG]: 'trial' } }), abort());
    const { tags: tagged = {} } = await clusterOf(ground);
    await untag();
    const { tags: after = {} } = await clusterOf(ground);
    if (tagged[TAG] !== 'trial') return broken('the tag is not there after it was put on');
    const same = listed(after) === listed(before);
    return same ? held('put on, seen, taken away') : broken('other tags have changed, or it is still there');
  },
  'EKS-NODEGROUP-NEWER': async (ground) => {
    const { version = '' } = await clusterOf(ground);
    const group = (await nodeGroupsOf(ground)).find(({ amiType }) => amiType !== 'CUSTOM');
    if (group === undefined) return untried('every node group has an AMI of its own');
    return refusedGroup(ground, group.nodegroupName, minorAfter(version, 1));
  },
  'EKS-NODEGROUP-CUSTOM': async (ground) => {
    const group = (await nodeGroupsOf(ground)).find(({ amiType }) => amiType === 'CUSTOM');
    if (group === undefined) return untried('no node group has an AMI of its own');
    const { version = '' } = await clusterOf(ground);
    return refusedGroup(ground, group.nodegroupName, version);
  },
};

const minorAfter = (version: string, count: number): string => `1.${Number(version.split('.')[1]) + count}`;

/** As described before. Associations are given back only where they are gone: a list replaces all of them. */
async function oweSettings(ground: Ground, owe: Owe, addOn: Addon): Promise<void> {
  const before = await settingsOf(ground, addOn);
  const podIdentityAssociations = await identitiesByRole(ground, addOn);
  const changed = async (): Promise<string[]> => {
    const now = await settingsOf(ground, await describe(ground, addOn.addonName));
    return Object.keys(before).filter((part) => before[part] !== now[part]);
  };
  owe(`settings of add-on ${addOn.addonName}`, async () => {
    const parts = await changed();
    if (parts.length === 0) return;
    const { configurationValues } = addOn;
    const identities = parts.includes('pod identities') ? { podIdentityAssociations } : {};
    await update(ground, addOn, { serviceAccountRoleArn: roleOf(addOn), configurationValues, ...identities });
    const [left] = await changed();
    if (left !== undefined)
      throw new Error(
        `its ${left} is not what it was${left === 'configuration' ? '' : `, ${before[left]}`}: set it with aws eks update-addon`,
      );
  });
}

const settingsOf = async (ground: Ground, addOn: Addon): Promise<Record<string, string>> => ({
  role: roleOf(addOn) ?? 'none',
  configuration: addOn.configurationValues ?? '',
  'pod identities': `[${(await identitiesByRole(ground, addOn))
    .map((each) => JSON.stringify(each))
    .toSorted()
    .join()}]`,
});

/** A request that came at the wrong moment is refused for that. */
const refused = ({ name, message }: { name: string; message: string }): Verdict =>
  name === 'ResourceInUseException'
    ? untried(`${name}: ${message}; try again once that has ended`, 'unanswered')
    : held(`${name}: ${message}`);

async function refusedVersion(ground: Ground, version: string): Promise<Verdict> {
  const asked = new UpdateClusterVersionCommand({ name: ground.ref.name, version, clientRequestToken: randomUUID() });
  const refusal = await refusalOf(ground.eks.send(asked, abort()));
  if (refusal !== undefined) return refused(refusal);
  await within(
    ground,
    async () => (await ground.eks.send(new DescribeClusterCommand({ name: ground.ref.name }), abort())).cluster?.status === 'ACTIVE',
  );
  return broken(`an update to ${version} was accepted; this command cannot undo it`);
}

async function refusedGroup(ground: Ground, nodegroupName: string | undefined, version: string): Promise<Verdict> {
  const asked = new UpdateNodegroupVersionCommand({
    clusterName: ground.ref.name,
    nodegroupName,
    version,
    clientRequestToken: randomUUID(),
  });
  const refusal = await refusalOf(ground.eks.send(asked, abort()));
  return refusal === undefined
    ? broken(`an update of ${nodegroupName} to ${version} was accepted; this command cannot undo it`)
    : refused(refusal);
}
