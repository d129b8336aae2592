/** A cluster made for throwing away, with something of every kind that checks change. */
import { addAddOn } from '../../rehearsal/scenarios/parts/cluster-parts.ts';
import { addApplication } from '../../rehearsal/scenarios/parts/delivery-parts.ts';
import { findScenario } from '../../rehearsal/scenarios/index.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';

const base = findScenario('karpenter-flux');

export const DISPOSABLE: Scenario = {
  ...base,
  name: 'disposable',
  title: 'A cluster made for throwing away',
  environment: 'development',
  cluster: { ...base.cluster, name: 'disposable' },
  build(world) {
    base.build(world);
    addAddOn(world, 'vpc-cni', 'v1.19.2-eksbuild.5', 'disposable-vpc-cni');
    addAddOn(world, 'coredns', 'v1.11.3-eksbuild.1');
    const [cni, dns] = ['vpc-cni', 'coredns'].map((name) => world.eks.addOns.find((addOn) => addOn.name === name));
    Object.assign(dns ?? {}, { configurationValues: '{"replicaCount":2}' });
    const roleArn = `arn:aws:iam::${world.eks.cluster.account}:role/disposable-cni-pods`;
    Object.assign(cni ?? {}, { podIdentityAssociations: [{ serviceAccount: 'aws-node', roleArn }] });
    addApplication(world, { name: 'docs', chart: 'docs', version: '1.0.0' });
  },
};
