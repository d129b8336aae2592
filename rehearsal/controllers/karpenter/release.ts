/** What a new release of Karpenter's charts does to the cluster, whoever brings it. */
import type { KubeObject } from '../../kubernetes/store.ts';
import type { World } from '../../world/world.ts';

/** "1.2" becomes a real patch: charts have full versions. */
const fullVersion = (version: string): string => {
  const plain = version.replace(/^v/, '');
  return plain.split('.').length > 2 ? plain : `${plain}.0`;
};

export function karpenterDeployment(world: World): KubeObject | undefined {
  return world.store.list('deployments', { labels: { 'app.kubernetes.io/name': 'karpenter' } })[0];
}

/** The chart karpenter: the controller's image. false: there is no Deployment. */
export function rollKarpenter(world: World, asked: string): boolean {
  const version = fullVersion(asked);
  const deployment = karpenterDeployment(world);
  if (deployment === undefined) return false;
  world.store.update('deployments', deployment.metadata.name, deployment.metadata.namespace, (copy) => {
    copy.metadata.labels = { ...copy.metadata.labels, 'app.kubernetes.io/version': version, 'helm.sh/chart': `karpenter-${version}` };
    for (const container of copy.spec.template.spec.containers) {
      if (container.name === 'controller') container.image = `public.ecr.aws/karpenter/controller:${version}`;
    }
  });
  return true;
}

/** The chart karpenter-crd: the definitions of that version. */
export function rollDefinitions(world: World, version: string): void {
  for (const { metadata } of world.store
    .list('customresourcedefinitions')
    .filter((each) => /\.karpenter\./.test(`.${each.metadata.name}`))) {
    world.store.update('customresourcedefinitions', metadata.name, undefined, (copy) => {
      copy.metadata.labels = { ...copy.metadata.labels, 'app.kubernetes.io/version': version };
    });
  }
}
