/** Tries what is believed of updates by those that EKS remembers. */
import { DescribeUpdateCommand, ErrorCode, type Update, UpdateStatus, UpdateType } from '@aws-sdk/client-eks';
import { broken, CannotTry, type Ground, held, type ReadCheck, untried } from './check.ts';
import { hasEnded } from '../../clients/aws/eks-api.ts';
import { abort, addOnNames, updateIdsOf } from './eks-lists.ts';
import { nodeGroupsOf } from './eks-reads.ts';
import { refusalOf } from './look.ts';
import { agree, count } from '../../../domain/core/text.ts';

/** Of each resource no more than so many are read. */
const MOST = 20;
/** `Cancelling` is of the user guide ("Rollback EKS Auto Mode clusters"): the model does not list it. */
const STATUSES: readonly (string | undefined)[] = [...Object.values(UpdateStatus), 'Cancelling'];

interface Remembered {
  update: Update;
  /** What the resource is named by. */
  of: { addonName?: string; nodegroupName?: string };
}

export const UPDATE_READS: Readonly<Record<string, ReadCheck>> = {
  'EKS-UPDATE-OF-RESOURCE': async (ground) => {
    const named = (await remembered(ground)).filter(({ of }) => of.addonName !== undefined || of.nodegroupName !== undefined);
    const [one] = named;
    if (one === undefined) return untried('EKS remembers no update of an add-on or a node group');
    const updateIds = await updateIdsOf(ground);
    const stray = named.find(({ update }) => updateIds.includes(update.id ?? ''));
    if (stray !== undefined)
      return broken(`an ${stray.update.type} of ${stray.of.addonName ?? stray.of.nodegroupName} is among the updates of the cluster`);
    const refusal = await refusalOf(
      ground.eks.send(new DescribeUpdateCommand({ name: ground.ref.name, updateId: one.update.id }), abort()),
    );
    return refusal === undefined
      ? broken(`${one.update.type} ${one.update.id} is described without its resource`)
      : held(`${count(named.length, 'update')}, ${refusal.name} without the resource`);
  },
  'EKS-UPDATE-PARAMS': async (ground) => {
    const all = await someRemembered(ground);
    const odd = all.find(({ update: { type } }) => type === undefined || !Object.values<string>(UpdateType).includes(type));
    if (odd !== undefined) return broken(`update ${odd.update.id} is of type ${odd.update.type}`);
    const versions = all.filter(({ update: { type } }) => type === 'VersionUpdate' || type === 'VersionRollback' || type === 'AddonUpdate');
    if (versions.length === 0) return untried('EKS remembers no update of a version');
    const silent = versions.find(
      ({ update }) => !names(update, update.type === 'AddonUpdate' ? ['AddonVersion'] : ['Version', 'LaunchTemplateVersion']),
    );
    return silent === undefined
      ? held(`${count(versions.length, 'update')} of versions ${agree(versions.length, 'says', 'say')} whereto`)
      : broken(`${silent.update.type} ${silent.update.id} does not say whereto`);
  },
  'EKS-UPDATE-ENDS': async (ground) => {
    const all = await someRemembered(ground);
    const odd = all.find(({ update: { status } }) => !STATUSES.includes(status));
    if (odd !== undefined) return broken(`update ${odd.update.id} is ${odd.update.status}`);
    const again = await remembered(ground);
    const moved = all.find(
      ({ update: known }) => hasEnded(known) && again.some(({ update: { id, status } }) => id === known.id && status !== known.status),
    );
    return moved === undefined
      ? held(`${count(all.length, 'update')}, the same at two looks`)
      : broken(`update ${moved.update.id} was ${moved.update.status} and is not any more`);
  },
  'EKS-UPDATE-CODES': async (ground) => {
    const errors = (await someRemembered(ground)).flatMap(({ update: { errors = [] } }) => errors);
    if (errors.length === 0) return untried('no update that EKS remembers has failed');
    const odd = errors.find(({ errorCode }) => errorCode === undefined || !Object.values<string>(ErrorCode).includes(errorCode));
    return odd === undefined ? held(count(errors.length, 'error')) : broken(`${odd.errorCode} is no code of the model`);
  },
  'EKS-UPDATE-CLOCK': async (ground) => {
    const all = await someRemembered(ground);
    const date = ground.eksDate();
    if (date === undefined) return untried('EKS tells no Date');
    const ahead = all.find(({ update: { createdAt } }) => createdAt === undefined || createdAt.getTime() > Date.parse(date) + 60_000);
    return ahead === undefined
      ? held(`${count(all.length, 'update')} before ${date}`)
      : broken(`update ${ahead.update.id} was made at ${ahead.update.createdAt?.toISOString()}, after ${date}`);
  },
};

const names = ({ params = [] }: Update, types: readonly string[]): boolean =>
  params.some(({ type, value }) => type !== undefined && types.includes(type) && value !== undefined && value !== '');

async function someRemembered(ground: Ground): Promise<Remembered[]> {
  const all = await remembered(ground);
  if (all.length === 0) throw new CannotTry('EKS remembers no update of this cluster');
  return all;
}

/** Of the cluster, its add-ons and its node groups. */
async function remembered(ground: Ground): Promise<Remembered[]> {
  const groups = await nodeGroupsOf(ground).catch((error: unknown) => {
    if (error instanceof CannotTry) return [];
    throw error;
  });
  const resources: Remembered['of'][] = [
    {},
    ...(await addOnNames(ground)).map((addonName) => ({ addonName })),
    ...groups.map(({ nodegroupName }) => ({ nodegroupName })),
  ];
  const found: Remembered[] = [];
  for (const of of resources) {
    const updateIds = await updateIdsOf(ground, of);
    for (const updateId of updateIds.slice(0, MOST)) {
      const { update } = await ground.eks.send(new DescribeUpdateCommand({ name: ground.ref.name, updateId, ...of }), abort());
      if (update !== undefined) found.push({ update, of });
    }
  }
  return found;
}
