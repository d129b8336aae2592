/** Karpenter of v1alpha5 in a scenario: AWSNodeTemplates, Provisioners and the nodes of their Machines, applied by Terraform. */
import { TERRAFORM } from '../../controllers/karpenter/migration/alpha-manifests.ts';
import { launchMachine } from '../../controllers/karpenter/migration/machines.ts';
import { appliedAs, type KUBECTL } from '../../controllers/karpenter/migration/manifests.ts';
import type { World } from '../../world/world.ts';

/** Who applied the objects: Terraform, which keeps them, or somebody with kubectl, once. */
type Applier = typeof TERRAFORM | typeof KUBECTL;

const appliedBy = (world: World, apiVersion: string, by: Applier): object[] => appliedAs(apiVersion, world.clock.now().toISOString(), by);

export function addNodeTemplate(world: World, name: string, by: Applier = TERRAFORM): void {
  const apiVersion = 'karpenter.k8s.aws/v1alpha1';
  const discovery = { 'karpenter.sh/discovery': world.eks.cluster.name };
  world.store.create('awsnodetemplates', {
    apiVersion,
    kind: 'AWSNodeTemplate',
    metadata: { name, managedFields: appliedBy(world, apiVersion, by) },
    spec: {
      amiFamily: 'AL2',
      instanceProfile: `KarpenterNodeInstanceProfile-${world.eks.cluster.name}`,
      subnetSelector: discovery,
      securityGroupSelector: discovery,
      tags: { 'created-by': 'karpenter' },
    },
  });
}

/** With its nodes Ready. */
export function addProvisioner(
  world: World,
  { name, nodes, spec, by = TERRAFORM }: { name: string; nodes: number; spec: object; by?: Applier },
): void {
  const apiVersion = 'karpenter.sh/v1alpha5';
  const requirements = [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
    { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
    { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['2'] },
  ];
  const provisioner = world.store.create('provisioners', {
    apiVersion,
    kind: 'Provisioner',
    metadata: { name, managedFields: appliedBy(world, apiVersion, by) },
    spec: { providerRef: { name }, requirements, limits: { resources: { cpu: '100', memory: '400Gi' } }, ...spec },
  });
  for (let index = 0; index < nodes; index += 1) launchMachine(world, provisioner, { ready: true });
}
