/** The Helm release of Karpenter's chart, as whoever installed it has left it. */
import { addRelease } from '../../neighbours/helm/release.ts';
import type { World } from '../../world/world.ts';

const PARTS = [
  { plural: 'deployments', name: /^karpenter$/ },
  { plural: 'poddisruptionbudgets', name: /^karpenter$/ },
  { plural: 'serviceaccounts', name: /^karpenter$/ },
  { plural: 'services', name: /^karpenter$/ },
  { plural: 'mutatingwebhookconfigurations', name: /\.karpenter\./ },
  { plural: 'validatingwebhookconfigurations', name: /\.karpenter\./ },
];

/** What `helm install karpenter` has recorded, of what is there. CRDs of a chart's folder crds belong to no release. */
export function recordKarpenter(world: World, { version, nodeGroup }: { version: string; nodeGroup: string }): void {
  const { name, account } = world.eks.cluster;
  addRelease(world, {
    name: 'karpenter',
    namespace: 'kube-system',
    chart: { name: 'karpenter', version },
    config: {
      settings: { clusterName: name },
      nodeSelector: { 'eks.amazonaws.com/nodegroup': nodeGroup },
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': `arn:aws:iam::${account}:role/karpenter-${name}` } },
      controller: { resources: { requests: { cpu: '500m', memory: '512Mi' } } },
    },
    objects: PARTS.flatMap(({ plural, name: part }) =>
      world.store
        .list(plural)
        .filter(({ metadata }) => part.test(metadata.name))
        .map((object) => ({ plural, object })),
    ),
  });
}
