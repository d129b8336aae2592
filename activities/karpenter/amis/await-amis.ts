/** Has Karpenter found images of the new minor for its node classes? Where an alias has none it keeps the old ones and says nothing. */
import { minorOfImage } from '../../../domain/facts/ami-names.ts';
import type { KarpenterActivities } from '../../contract/karpenter.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { conditionOf, isFalse, type NodeClass } from '../../clients/kubernetes/objects.ts';
import { aliasOf } from './hold-amis.ts';
import { classRef } from '../objects/node-pools.ts';

type Input = Parameters<KarpenterActivities['awaitAmis']>[0];
type Stale = Awaited<ReturnType<KarpenterActivities['awaitAmis']>>['stale'][number];

export function createAwaitAmisActivities(deps: KubernetesDeps): Pick<KarpenterActivities, 'awaitAmis'> {
  return {
    async awaitAmis(input) {
      const port = (await deps.clusterPorts(input.cluster)).kubernetes;
      // Karpenter reads the version and looks for images every five minutes each (karpenter-provider-aws): blocked nodes are given as long.
      const options = { timing: input.timing, timeoutMs: input.timing.driftBlockedAfterMs, doing: `waiting for AMIs of ${input.to}` };
      const result = await waitUntil(options, async () => {
        const stale = await findStale(port, input);
        return stale.length === 0 ? { done: true, value: undefined } : { done: false, note: stale.map(({ why }) => why).join('; ') };
      });
      return { stale: result.kind === 'done' ? [] : await findStale(port, input) };
    },
  };
}

async function findStale(port: KubernetesPort, { to, follows }: Input): Promise<Stale[]> {
  const stale: Stale[] = [];
  for (const { nodeClass: name, nodePools } of follows) {
    const why = whyStale(await port.get<NodeClass>(classRef(name)), to);
    if (why !== undefined) stale.push({ nodeClass: name, nodePools, why });
  }
  return stale;
}

/** Images of others, whose names tell no minor, are taken for right: people have chosen them. */
function whyStale(nodeClass: NodeClass | undefined, to: string): string | undefined {
  if (nodeClass === undefined) return 'it is gone';
  const refusal = conditionOf(nodeClass, 'AMIsReady');
  if (isFalse(nodeClass, 'AMIsReady')) return `AMIsReady is False (${refusal?.reason}: ${refusal?.message})`;
  // Just edited: what it says is of its terms before.
  if (refusal?.observedGeneration !== undefined && refusal.observedGeneration < (nodeClass.metadata.generation ?? 0)) {
    return 'Karpenter has found no images since its terms were changed';
  }
  const names = (nodeClass.status?.amis ?? []).flatMap(({ name }) => name ?? []);
  const old = names.filter((name) => (minorOfImage(name) ?? to) !== to);
  if (old.length < names.length || names.length === 0) return undefined;
  const alias = aliasOf(nodeClass.spec?.amiSelectorTerms);
  return `Karpenter keeps ${old[0]}${alias === undefined ? '' : `: ${alias} seems to have no image for ${to}`}`;
}
