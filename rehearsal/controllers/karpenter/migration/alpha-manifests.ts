/** What the platform team does about v1alpha5 when it is asked to: new objects beside the old, the old ones away, nodes deleted by hand. */
import type { KubeObject } from '../../../kubernetes/store.ts';
import { isTerminating } from '../../../kubernetes/pods/pods.ts';
import type { World } from '../../../world/world.ts';
import { karpenterHubs } from './conversion.ts';
import { appliedAs } from './manifests.ts';

/** Of the resource kubernetes_manifest. */
export const TERRAFORM = 'Terraform';

const list = (world: World, plural: string): KubeObject[] => (world.store.type(plural) === undefined ? [] : world.store.list(plural));

/** By the same names; those that are there stay. */
export function addSuccessors(world: World, managedBy: string): void {
  for (const template of list(world, 'awsnodetemplates'))
    apply(world, 'ec2nodeclasses', 'karpenter.k8s.aws/v1beta1', 'EC2NodeClass', template, classSpec(template, world));
  for (const provisioner of list(world, 'provisioners'))
    apply(world, 'nodepools', 'karpenter.sh/v1beta1', 'NodePool', provisioner, poolSpec(provisioner));
  world.journal.tell(`${managedBy} applies NodePools and EC2NodeClasses beside the Provisioners and AWSNodeTemplates`);
}

function apply(world: World, plural: string, apiVersion: string, kind: string, { metadata: { name } }: KubeObject, spec: object): void {
  if (world.store.get(plural, name) !== undefined) return;
  const managedFields = appliedAs(apiVersion, world.clock.now().toISOString(), TERRAFORM);
  const object: KubeObject = { apiVersion, kind, metadata: { name, managedFields }, spec };
  world.store.create(plural, karpenterHubs(world.store)[`${plural}.${apiVersion.split('/')[0]}`]?.toHub(object) ?? object);
}

function poolSpec({ spec }: KubeObject): object {
  const {
    labels,
    requirements = [],
    taints,
    kubeletConfiguration,
    consolidation,
    ttlSecondsAfterEmpty,
    ttlSecondsUntilExpired,
    limits,
    weight,
  } = spec;
  const legacy = (taints ?? []).filter(({ key }: { key: string }) => key !== 'karpenter.sh/legacy');
  return {
    template: {
      metadata: { labels: labels ?? {} },
      spec: {
        nodeClassRef: { apiVersion: 'karpenter.k8s.aws/v1beta1', kind: 'EC2NodeClass', name: spec.providerRef.name },
        requirements,
        ...(legacy.length === 0 ? {} : { taints: legacy }),
        ...(kubeletConfiguration === undefined ? {} : { kubelet: kubeletConfiguration }),
      },
    },
    disruption: {
      ...(consolidation?.enabled === true
        ? { consolidationPolicy: 'WhenUnderutilized' }
        : {
            consolidationPolicy: 'WhenEmpty',
            consolidateAfter: ttlSecondsAfterEmpty === undefined ? 'Never' : `${ttlSecondsAfterEmpty}s`,
          }),
      expireAfter: ttlSecondsUntilExpired === undefined ? 'Never' : `${ttlSecondsUntilExpired / 60}m`,
    },
    ...(limits?.resources === undefined ? {} : { limits: limits.resources }),
    ...(weight === undefined ? {} : { weight }),
  };
}

function classSpec({ spec }: KubeObject, world: World): object {
  const { amiFamily = 'AL2', subnetSelector, securityGroupSelector, instanceProfile: _profile, amiSelector: _ami, ...rest } = spec;
  return {
    ...rest,
    amiFamily,
    role: `eks-node-${world.eks.cluster.name}`,
    subnetSelectorTerms: [{ tags: subnetSelector }],
    securityGroupSelectorTerms: [{ tags: securityGroupSelector }],
  };
}

/** As `terraform apply` destroys them: in the background. */
export function removeOld(world: World, managedBy: string): void {
  for (const plural of ['provisioners', 'awsnodetemplates']) {
    for (const object of list(world, plural).filter((each) => !isTerminating(each))) world.store.delete(plural, object.metadata.name);
  }
  world.journal.tell(`${managedBy} removes Provisioners and AWSNodeTemplates`);
}

/** kubectl delete node, one after the other. False: none is left. */
export function deleteNextNode(world: World): boolean {
  const machines = list(world, 'machines');
  if (machines.some(isTerminating)) return true;
  const node = machines.map(({ status }) => String(status?.nodeName)).find((name) => world.store.get('nodes', name) !== undefined);
  if (node !== undefined) world.store.delete('nodes', node);
  return node !== undefined;
}
