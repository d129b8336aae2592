/** What a migration of Karpenter's API meets in a cluster: its definitions and its controller. */
import type { FakeKubernetes } from './fake-kubernetes.ts';

type Version = 'v1beta1' | 'v1';

/** All served; `storage`: the one that objects are stored in now. */
export function putDefinitions(
  cluster: FakeKubernetes,
  { served, storage, storedVersions = [storage] }: { served: Version[]; storage: Version; storedVersions?: string[] },
): void {
  for (const [plural, group] of [
    ['nodepools', 'karpenter.sh'],
    ['nodeclaims', 'karpenter.sh'],
    ['ec2nodeclasses', 'karpenter.k8s.aws'],
  ])
    cluster.put('apiextensions.k8s.io/v1', 'customresourcedefinitions', {
      metadata: { name: `${plural}.${group}` },
      spec: { group, versions: served.map((name) => ({ name, served: true, storage: name === storage })) },
      status: { storedVersions },
    });
}

export function putController(cluster: FakeKubernetes, version: string): void {
  cluster.put('apps/v1', 'deployments', {
    metadata: { name: 'karpenter', namespace: 'kube-system', labels: { 'app.kubernetes.io/name': 'karpenter' } },
    spec: { template: { spec: { containers: [{ name: 'controller', image: `public.ecr.aws/karpenter/controller:${version}` }] } } },
  });
}
