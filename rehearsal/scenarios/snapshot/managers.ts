/** Who changes what in a recorded cluster, as far as its marks say. Where the twin cannot play the owner, somebody is asked and does as asked. */
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import type { ManagedBy } from '../../../domain/facts/facts.ts';
import type { Scenario } from '../scenario.ts';

export interface Managers {
  karpenter: ManagedBy;
  istio?: NonNullable<Scenario['istio']> & { by: ManagedBy };
}

export function managersOf(snapshot: Snapshot): Managers {
  const deployments = objectsOf(snapshot, 'apps/v1', 'deployments') ?? [];
  const karpenter = deployments.find(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'karpenter');
  const namespaces = objectsOf(snapshot, 'v1', 'namespaces') ?? [];
  const meshed = namespaces.filter(({ metadata: { labels = {} } }) => labels['istio.io/rev'] !== undefined);
  const istiod = deployments.find(({ metadata }) => metadata.labels?.['app'] === 'istiod');
  const tags = new Set(
    (objectsOf(snapshot, 'admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations') ?? []).flatMap(
      ({ metadata }) => metadata.labels?.['istio.io/tag'] ?? [],
    ),
  );
  const byTag = meshed.some(({ metadata }) => tags.has(metadata.labels?.['istio.io/rev'] ?? ''));
  return {
    karpenter: ownerOf(karpenter),
    ...(istiod !== undefined && meshed.length > 0 ? { istio: { moveBy: byTag ? 'tag' : 'label', by: ownerOf(istiod) } } : {}),
  };
}

/** Helm's releases are Secrets, which no snapshot has: what Helm manages is changed by people, on request. */
function ownerOf(deployment: SnapshotKubeObject | undefined): ManagedBy {
  const { labels = {}, annotations = {} } = deployment?.metadata ?? {};
  if (labels['helm.toolkit.fluxcd.io/name'] !== undefined) return 'flux';
  const byArgo = annotations['argocd.argoproj.io/tracking-id'] !== undefined || labels['argocd.argoproj.io/instance'] !== undefined;
  return !byArgo && annotations['meta.helm.sh/release-name'] !== undefined ? 'manual' : 'argocd';
}
