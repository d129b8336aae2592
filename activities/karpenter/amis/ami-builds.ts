/** Asks SSM which images there are behind the aliases of node classes: Karpenter finds no others. */
import {
  aliasFamilyOf,
  type AmiBuild,
  aliasOfRelease,
  ARCHITECTURES,
  imageParameter,
  isPinned,
  parseAlias,
  releaseParameter,
} from '../../../domain/facts/ami-names.ts';
import { field } from '../../../domain/core/unknown.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { currentSignal } from '../../runtime/context.ts';
import { aliasBeforeHold, aliasOf } from './hold-amis.ts';
import { EC2_NODE_CLASSES } from '../objects/node-pools.ts';
import type { NodeClass } from '../../clients/kubernetes/objects.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { defined } from '../../../domain/core/defined.ts';

/**
 * For pinned aliases of the cluster's node classes and `others`; where one has no image, and for classes that choose by id, also what is the
 * newest of the family. A cluster whose classes all say `@latest` costs no call.
 */
export async function readAmiBuilds(
  clients: AccountClients,
  kubernetes: KubernetesPort,
  minors: readonly string[],
  others: readonly string[] = [],
): Promise<AmiBuild[]> {
  const classes = (await kubernetes.list<NodeClass>(EC2_NODE_CLASSES)) ?? [];
  const aliases = classes.flatMap((nodeClass) => aliasOf(nodeClass.spec?.amiSelectorTerms) ?? aliasBeforeHold(nodeClass) ?? []);
  const pinned = await ask(clients, [...aliases, ...others].filter(isPinned), minors);
  const lacking = pinned.filter(({ images }) => Object.keys(images).length === 0).map(({ alias }) => parseAlias(alias)?.family);
  const byId = classes
    .filter(({ spec }) => aliasOf(spec?.amiSelectorTerms) === undefined)
    .map(({ spec }) => aliasFamilyOf(spec?.amiFamily ?? ''));
  const newest = [...lacking, ...byId].flatMap((family) => (family === undefined ? [] : `${family}@latest`));
  return [...pinned, ...(await ask(clients, [...newest, ...others.filter((alias) => !isPinned(alias))], minors))];
}

async function ask(clients: AccountClients, aliases: readonly string[], minors: readonly string[]): Promise<AmiBuild[]> {
  const wanted = [...new Set(aliases)].flatMap((alias) => minors.map((minor) => ({ alias, minor })));
  return await someAtOnce(wanted, (each) => readBuild(clients, each));
}

async function readBuild(clients: AccountClients, { alias, minor }: { alias: string; minor: string }): Promise<AmiBuild> {
  const images: AmiBuild['images'] = {};
  for (const arch of ARCHITECTURES) {
    const id = await parameter(clients, imageParameter(alias, minor, arch));
    if (id !== undefined) images[arch] = id;
  }
  const family = parseAlias(alias)?.family ?? '';
  const said = isPinned(alias) ? undefined : await parameter(clients, releaseParameter(family, minor));
  const release = said === undefined ? undefined : aliasOfRelease(family, said);
  return { alias, minor, images, ...defined({ release }) };
}

/** undefined: AWS publishes no such parameter. */
async function parameter(clients: AccountClients, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const ssm = await clients.ssm();
  try {
    return (await ssm.getParameter({ Name: name }, { abortSignal: currentSignal() })).Parameter?.Value;
  } catch (error) {
    if (field(error, 'name') === 'ParameterNotFound') return undefined;
    throw error;
  }
}
