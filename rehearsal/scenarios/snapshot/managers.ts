/** Who changes what in a recorded cluster, as far as its marks say. Where the twin cannot play the owner, somebody is asked and does as asked. */
import { objectsOf, type Snapshot } from '../../../domain/facts/snapshot/format.ts';
import type { ManagedBy } from '../../../domain/facts/facts.ts';
import type { Scenario } from '../scenario.ts';

export interface Managers {
  karpenter: ManagedBy;
  istio?: NonNullable<Scenario['istio']>;
}

/** Helm's releases are Secrets, which no snapshot has: what Helm manages is changed on request. */
export function managersOf(snapshot: Snapshot): Managers {
  const deployments = objectsOf(snapshot, 'apps/v1', 'deployments') ?? [];
  const karpenter = deployments.find(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === 'karpenter');
  const byFlux = karpenter?.metadata.labels?.['helm.toolkit.fluxcd.io/name'] !== undefined;
  const namespaces = objectsOf(snapshot, 'v1', 'namespaces') ?? [];
  const meshed = namespaces.filter(({ metadata: { labels = {} } }) => labels['istio.io/rev'] !== undefined);
  const installed = deployments.some(({ metadata }) => metadata.labels?.['app'] === 'istiod');
  const tags = new Set(
    (objectsOf(snapshot, 'admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations') ?? []).flatMap(
      ({ metadata }) => metadata.labels?.['istio.io/tag'] ?? [],
    ),
  );
  const byTag = meshed.some(({ metadata }) => tags.has(metadata.labels?.['istio.io/rev'] ?? ''));
  return {
    karpenter: byFlux ? 'flux' : 'argocd',
    ...(installed && meshed.length > 0 ? { istio: { moveBy: byTag ? 'tag' : 'label' } } : {}),
  };
}
