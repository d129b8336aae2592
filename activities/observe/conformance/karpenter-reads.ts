/** Tries what is believed of Karpenter by reading. */
import { broken, type Ground, held, type ReadCheck, untried } from './check.ts';
import { count } from '../../../domain/core/text.ts';
import { at, conditionOf, isTrue, itemsOf, listAt, mustBe, nameOf, some, someOf, stringsAt, textAt } from './look.ts';

const POOL = 'karpenter.sh/nodepool';
const HASH = 'karpenter.sh/nodepool-hash';
const HASH_VERSION = 'karpenter.sh/nodepool-hash-version';
/** That have NodeRegistrationHealthy. */
const HEALTHY_SINCE = 4;

export const poolsOf = (ground: Ground): Promise<unknown[]> =>
  someOf(ground, '/apis/karpenter.sh/v1/nodepools', 'NodePool (karpenter.sh/v1)');
export const claimsOf = async (ground: Ground): Promise<unknown[]> => (await itemsOf(ground, '/apis/karpenter.sh/v1/nodeclaims')) ?? [];
export const poolNameOf = (object: unknown): string | undefined => stringsAt(object, 'metadata', 'labels')[POOL];
export const hashOf = (object: unknown): string | undefined => stringsAt(object, 'metadata', 'annotations')[HASH];

export const KARPENTER_READS: Readonly<Record<string, ReadCheck>> = {
  'KARPENTER-IMAGES': async (ground) => {
    const classes = (await itemsOf(ground, '/apis/karpenter.k8s.aws/v1/ec2nodeclasses')) ?? [];
    const settled = (await claimsOf(ground)).filter((claim) => isTrue(claim, 'Launched') && !isTrue(claim, 'Drifted'));
    const judged = settled.flatMap((claim) => {
      const found = classes.find((each) => textAt(each, 'metadata', 'name') === textAt(claim, 'spec', 'nodeClassRef', 'name'));
      const images = listAt(found, 'status', 'amis').flatMap((image) => textAt(image, 'id') ?? []);
      const own = textAt(claim, 'status', 'imageID');
      return found === undefined || own === undefined ? [] : [{ claim, fits: images.includes(own) }];
    });
    if (judged.length === 0) return untried('no NodeClaim of an EC2NodeClass has an image');
    const odd = judged.filter(({ fits }) => !fits);
    return odd.length === 0
      ? held(`${judged.length} NodeClaims`)
      : broken(`${some(odd.map(({ claim }) => nameOf(claim)))} runs another image and is not marked`);
  },
  'KARPENTER-HASH': async (ground) => {
    const pools = await poolsOf(ground);
    const settled = (await claimsOf(ground)).filter((claim) => !isTrue(claim, 'Drifted') && hashOf(claim) !== undefined);
    const judged = settled.flatMap((claim) => {
      const pool = pools.find((each) => nameOf(each) === poolNameOf(claim));
      const version = (object: unknown): string | undefined => stringsAt(object, 'metadata', 'annotations')[HASH_VERSION];
      return pool === undefined || version(pool) !== version(claim) ? [] : [{ claim, fits: hashOf(pool) === hashOf(claim) }];
    });
    if (judged.length === 0) return untried('no NodeClaim has a hash of the version of its pool');
    const odd = judged.filter(({ fits }) => !fits);
    return odd.length === 0
      ? held(`${judged.length} NodeClaims`)
      : broken(`${some(odd.map(({ claim }) => nameOf(claim)))} has another hash and is not marked`);
  },
  'KARPENTER-OF-POOL': async (ground) => {
    const pools = (await poolsOf(ground)).map(nameOf);
    const claims = (await claimsOf(ground)).filter((claim) => textAt(claim, 'status', 'nodeName') !== undefined);
    if (claims.length === 0) return untried('no NodeClaim has a node');
    const nodes = await someOf(ground, '/api/v1/nodes', 'node');
    const odd = claims.find((claim) => {
      const node = nodes.find((each) => nameOf(each) === textAt(claim, 'status', 'nodeName'));
      const pool = poolNameOf(claim);
      // A claim of its own (no pool) has no label.
      return pool !== undefined && (!pools.includes(pool) || (node !== undefined && poolNameOf(node) !== pool));
    });
    return odd === undefined
      ? held(`${claims.length} NodeClaims and their nodes`)
      : broken(`${nameOf(odd)} and its node name different pools`);
  },
  'KARPENTER-REGISTRATION': async (ground) => {
    const pools = await poolsOf(ground);
    const version = /^(\d+)\.(\d+)/.exec((await controllersOf(ground))[0]?.version ?? '');
    if (version === null) return untried("the version of Karpenter's controller is not known");
    if (Number(version[1]) === 1 && Number(version[2]) < HEALTHY_SINCE) return untried(`Karpenter is ${version[0]}`);
    const odd = pools.filter((pool) => conditionOf(pool, 'NodeRegistrationHealthy') === undefined);
    return odd.length === 0 ? held(count(pools.length, 'NodePool')) : broken(`${some(odd.map(nameOf))} does not have it`);
  },
  'KARPENTER-CONTROLLER': async (ground) => {
    await poolsOf(ground);
    const [found] = await controllersOf(ground);
    if (found === undefined) return broken('there are NodePools, and no Deployment carries the label');
    return found.version === undefined ? broken(`the image of ${found.name} has no version`) : held(`${found.name}, ${found.version}`);
  },
  'KARPENTER-LEASE': async (ground) => {
    const [found] = await controllersOf(ground);
    if (found === undefined) return untried("there is no Deployment of Karpenter's controller");
    const path = `/apis/coordination.k8s.io/v1/namespaces/${found.namespace}/leases/karpenter-leader-election`;
    const answer = await ground.kube('GET', path);
    if (answer.status === 404) return broken('there is no Lease of that name');
    const body = mustBe(answer, 200, 'the Lease');
    const holder = textAt(body, 'spec', 'holderIdentity') ?? '';
    return holder === '' || textAt(body, 'spec', 'renewTime') === undefined ? broken('nobody has renewed it') : held(`held by ${holder}`);
  },
  'KARPENTER-STORED': async (ground) => {
    const answer = await ground.kube('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh');
    if (answer.status === 404) return untried('there is no NodePool on this cluster');
    const body = mustBe(answer, 200, 'the CRD of NodePools');
    const stored = listAt(body, 'status', 'storedVersions').flatMap((version) => (typeof version === 'string' ? version : []));
    const served = listAt(body, 'spec', 'versions').flatMap((version) => textAt(version, 'name') ?? []);
    const odd = stored.find((version) => !served.includes(version));
    if (stored.length === 0) return broken('it names none');
    return odd === undefined ? held(stored.join(', ')) : broken(`${odd} is stored, and is no version of the CRD`);
  },
};

interface Controller {
  namespace: string;
  name: string;
  version: string | undefined;
}

async function controllersOf(ground: Ground): Promise<Controller[]> {
  const label = encodeURIComponent('app.kubernetes.io/name=karpenter');
  const found = (await itemsOf(ground, `/apis/apps/v1/deployments?labelSelector=${label}`)) ?? [];
  return found.map((deployment) => {
    const image = listAt(deployment, 'spec', 'template', 'spec', 'containers').flatMap((container) => textAt(container, 'image') ?? [])[0];
    return {
      namespace: textAt(deployment, 'metadata', 'namespace') ?? '',
      name: nameOf(deployment),
      version: /:v?(\d+\.\d+\.\d+)/.exec(image ?? '')?.[1],
    };
  });
}

export const budgetsOf = (pool: unknown): unknown => at(pool, 'spec', 'disruption', 'budgets');
