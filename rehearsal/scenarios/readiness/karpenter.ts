/** What is wrong with Karpenter in the scenario `readiness`: its version, definitions, node classes and pools. */
import { latestAmi } from '../../aws/eks/nodes/amis.ts';
import type { World } from '../../world/world.ts';
import { addDefinition } from '../parts/definition-parts.ts';
import { addKarpenter, addNodeClass, addNodePool, adoptDefinitions, OF_CHART } from '../parts/karpenter-parts.ts';

const KARPENTER = '1.5.6';
/** Built six days before the scenario begins: what lives for this long ends six hours after. */
const EXPIRES_SOON = '150h';
const TEN_PERCENT = [{ nodes: '10%' }];

export function plantKarpenter(world: World): void {
  addKarpenter(world, { version: KARPENTER, nodeGroup: 'system' });
  adoptDefinitions(world, KARPENTER);
  plantDefinitions(world);
  const ami = latestAmi('al2023', world.eks.cluster.version, world.clock.now());
  if (ami === undefined) throw new Error('no AL2023 image at the date of this scenario');
  const karpenter = KARPENTER;
  addNodeClass(world, { name: 'default', alias: `al2023@${ami.release}`, karpenter });
  addNodeClass(world, { name: 'amazon-linux-2', alias: `al2@${ami.release}`, karpenter });
  addNodeClass(world, { name: 'no-such-release', alias: 'al2023@v19991231', karpenter });
  addNodeClass(world, { name: 'fixed-image', amiId: ami.id, karpenter });
  addNodeClass(world, { name: 'newest-image', alias: 'al2023@latest', karpenter });
  addNodePool(world, { name: 'default', nodeClass: 'default', nodes: 3, budgets: TEN_PERCENT });
  addNodePool(world, { name: 'expires-soon', nodeClass: 'default', nodes: 1, budgets: TEN_PERCENT, expireAfter: EXPIRES_SOON });
  addNodePool(world, { name: 'no-limit', nodeClass: 'default', nodes: 0, budgets: [] });
  addNodePool(world, { name: 'frozen-for-good', nodeClass: 'default', nodes: 0, budgets: [{ nodes: '0' }] });
  addNodePool(world, { name: 'full', nodeClass: 'default', nodes: 1, budgets: TEN_PERCENT, limits: { cpu: '4' } });
}

/** Each of another kind: an old label, an old stored version, no owner; and a kind of before v1beta1 with an object. */
function plantDefinitions(world: World): void {
  world.store.update('customresourcedefinitions', 'nodepools.karpenter.sh', undefined, (copy) => {
    copy.metadata.labels = { ...copy.metadata.labels, 'app.kubernetes.io/version': '1.0.8' };
  });
  world.store.update('customresourcedefinitions', 'nodeclaims.karpenter.sh', undefined, (copy) => {
    copy.status.storedVersions = ['v1beta1', 'v1'];
  });
  world.store.update('customresourcedefinitions', 'ec2nodeclasses.karpenter.k8s.aws', undefined, (copy) => {
    delete copy.metadata.annotations;
  });
  addDefinition(world, {
    group: 'karpenter.sh',
    plural: 'provisioners',
    kind: 'Provisioner',
    scope: 'Cluster',
    versions: ['v1alpha5'],
    stored: ['v1alpha5'],
    annotations: OF_CHART,
  });
  world.store.create('provisioners', {
    apiVersion: 'karpenter.sh/v1alpha5',
    kind: 'Provisioner',
    metadata: { name: 'left-over' },
    spec: { providerRef: { name: 'default' }, ttlSecondsAfterEmpty: 30 },
  });
}
