/** Kubelet settings on their way from NodePools to EC2NodeClasses: nodes whose settings change drift. */
import { createHash } from 'node:crypto';
import { stableJson } from '../../../kubernetes/json.ts';
import type { KubeObject } from '../../../kubernetes/store.ts';
import type { World } from '../../../world/world.ts';
import { KUBELET_ANNOTATION } from './conversion.ts';
import { isSince } from './versions.ts';

/** On NodeClaims: the settings that their node was made with. */
const HASH = 'compatibility.karpenter.k8s.aws/kubelet-drift-hash';

/** In 1.0 the NodePool's annotation goes before the EC2NodeClass; 1.1 does not know it any more. */
function kubeletSettings(world: World, claim: KubeObject, version: string): unknown {
  const pool = world.store.get('nodepools', claim.metadata.labels?.['karpenter.sh/nodepool'] ?? '');
  const text = isSince(version, '1.1') ? undefined : pool?.metadata.annotations?.[KUBELET_ANNOTATION];
  return text === undefined ? world.store.get('ec2nodeclasses', claim.spec.nodeClassRef.name)?.spec?.kubelet : JSON.parse(text);
}

/** Compares and, where 1.0 finds a claim without a hash, notes what it was made with. */
export function kubeletDrift(world: World, claim: KubeObject, version: string): 'NodeClassDrift' | undefined {
  if (!isSince(version, '1.0') || isSince(version, '1.1')) return undefined;
  const settings = kubeletSettings(world, claim, version);
  const known = claim.metadata.annotations?.[HASH];
  if (settings === undefined && known === undefined) return undefined;
  const hash = createHash('sha1')
    .update(stableJson(settings ?? null))
    .digest('hex')
    .slice(0, 16);
  if (known !== undefined) return known === hash ? undefined : 'NodeClassDrift';
  world.store.update('nodeclaims', claim.metadata.name, undefined, ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [HASH]: hash };
  });
  return undefined;
}
