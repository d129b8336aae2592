/** What is found of Karpenter's objects where they are as believed, and where they are not. */
import { expect, test } from 'vitest';
import { answered, type Outside, verdictOn } from './answers.ts';

const POOLS = '/apis/karpenter.sh/v1/nodepools';
const CLAIMS = '/apis/karpenter.sh/v1/nodeclaims';
const CLASSES = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';
const CONTROLLERS = '/apis/apps/v1/deployments?labelSelector=app.kubernetes.io%2Fname%3Dkarpenter';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/karpenter-leader-election';
const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh';

const POOL = 'karpenter.sh/nodepool';
const hash = (of: string, version: string) => ({
  'karpenter.sh/nodepool-hash': of,
  'karpenter.sh/nodepool-hash-version': version,
});

const pool = (annotations: object = {}, conditions: object[] = []) => ({
  metadata: { name: 'default', annotations },
  status: { conditions },
});
const claim = (metadata: object, status: object = {}, types: string[] = []) => ({
  metadata: { name: 'default-1', labels: { [POOL]: 'default' }, ...metadata },
  spec: { nodeClassRef: { name: 'al2023' } },
  status: { ...status, conditions: types.map((type) => ({ type, status: 'True' })) },
});
const nodeClass = { metadata: { name: 'al2023' }, status: { amis: [{ id: 'ami-1' }] } };

const images = (...claims: object[]): Outside => ({ kube: { [CLAIMS]: { items: claims }, [CLASSES]: { items: [nodeClass] } } });
const claims = (of: object, ...items: object[]): Outside => ({
  kube: {
    [POOLS]: { items: [of] },
    [CLAIMS]: { items },
    '/api/v1/nodes': { items: [{ metadata: { name: 'n', labels: { [POOL]: 'default' } } }] },
  },
});

/** `image`: of the controller; none: there is no controller. */
function controller(image: string | undefined, more: Record<string, unknown> = {}): Outside {
  const deployment = {
    metadata: { namespace: 'kube-system', name: 'karpenter' },
    spec: { template: { spec: { containers: [{ image }] } } },
  };
  return { kube: { [POOLS]: { items: [pool()] }, [CONTROLLERS]: { items: image === undefined ? [] : [deployment] }, ...more } };
}
const healthy = { [POOLS]: { items: [pool({}, [{ type: 'NodeRegistrationHealthy', status: 'True' }])] } };
const lease = (spec: object) => ({ [LEASE]: { spec } });
const definition = (storedVersions: string[], ...served: string[]): Outside => ({
  kube: { [DEFINITION]: { status: { storedVersions }, spec: { versions: served.map((name) => ({ name })) } } },
});

test.each<[string, Outside, string]>([
  ['KARPENTER-IMAGES', images(claim({}, { imageID: 'ami-1' }, ['Launched'])), 'held: 1 NodeClaims'],
  ['KARPENTER-IMAGES', images(claim({}, { imageID: 'ami-0' }, ['Launched'])), 'broken: default-1 runs another image and is not marked'],
  [
    'KARPENTER-IMAGES',
    images(claim({}, { imageID: 'ami-0' }, ['Launched', 'Drifted']), claim({}, {}, ['Launched'])),
    'untried, absent: no NodeClaim of an EC2NodeClass has an image',
  ],

  ['KARPENTER-HASH', claims(pool(hash('1', 'v3')), claim({ annotations: hash('1', 'v3') })), 'held: 1 NodeClaims'],
  [
    'KARPENTER-HASH',
    claims(pool(hash('1', 'v3')), claim({ annotations: hash('2', 'v3') })),
    'broken: default-1 has another hash and is not marked',
  ],
  [
    'KARPENTER-HASH',
    claims(pool(hash('1', 'v3')), claim({ annotations: hash('2', 'v2') })),
    'untried, absent: no NodeClaim has a hash of the version of its pool',
  ],

  ['KARPENTER-OF-POOL', claims(pool(), claim({}, { nodeName: 'n' })), 'held: 1 NodeClaims and their nodes'],
  [
    'KARPENTER-OF-POOL',
    claims(pool(), claim({ labels: { [POOL]: 'gone' } }, { nodeName: 'n' })),
    'broken: default-1 and its node name different pools',
  ],
  ['KARPENTER-OF-POOL', claims(pool(), claim({})), 'untried, absent: no NodeClaim has a node'],

  ['KARPENTER-REGISTRATION', controller('karpenter/controller:1.6.2', healthy), 'held: 1 NodePool'],
  ['KARPENTER-REGISTRATION', controller('karpenter/controller:1.6.2'), 'broken: default does not have it'],
  ['KARPENTER-REGISTRATION', controller('karpenter/controller:1.3.3'), 'untried, absent: Karpenter is 1.3'],
  [
    'KARPENTER-REGISTRATION',
    controller('karpenter/controller:latest', healthy),
    "untried, absent: the version of Karpenter's controller is not known",
  ],
  ['KARPENTER-REGISTRATION', controller(undefined, healthy), "untried, absent: the version of Karpenter's controller is not known"],

  ['KARPENTER-CONTROLLER', controller('karpenter/controller:1.6.2'), 'held: kube-system/karpenter, 1.6.2'],
  ['KARPENTER-CONTROLLER', controller('karpenter/controller:latest'), 'broken: the image of kube-system/karpenter has no version'],
  ['KARPENTER-CONTROLLER', controller(undefined), 'broken: there are NodePools, and no Deployment carries the label'],

  ['KARPENTER-LEASE', controller('k:1.6.2', lease({ holderIdentity: 'a', renewTime: 'now' })), 'held: held by a'],
  ['KARPENTER-LEASE', controller('k:1.6.2', lease({ holderIdentity: 'a' })), 'broken: nobody has renewed it'],
  ['KARPENTER-LEASE', controller('k:1.6.2'), 'broken: there is no Lease of that name'],
  [
    'KARPENTER-LEASE',
    controller('k:1.6.2', { [LEASE]: answered(500, { message: 'etcd' }) }),
    'untried, unanswered: the Lease was answered with 500 (etcd)',
  ],
  ['KARPENTER-LEASE', controller(undefined), "untried, absent: there is no Deployment of Karpenter's controller"],

  ['KARPENTER-STORED', definition(['v1'], 'v1', 'v1beta1'), 'held: v1'],
  ['KARPENTER-STORED', definition(['v1beta1'], 'v1'), 'broken: v1beta1 is stored, and is no version of the CRD'],
  ['KARPENTER-STORED', definition([], 'v1'), 'broken: it names none'],
  ['KARPENTER-STORED', {}, 'untried, absent: there is no NodePool on this cluster'],
  [
    'KARPENTER-STORED',
    { kube: { [DEFINITION]: answered(500, { message: 'etcd' }) } },
    'untried, unanswered: the CRD of NodePools was answered with 500 (etcd)',
  ],
])('%s (case %#)', async (id, outside, verdict) => {
  expect(await verdictOn(id, outside)).toBe(verdict);
});
