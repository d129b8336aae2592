/** istio-cni and ztunnel: the DaemonSets that the charts call istio-cni-node and ztunnel, or as its value `resourceName` says. */
import type { NodeAgentFact } from '../../../domain/facts/facts.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { Workload } from '../../clients/kubernetes/objects.ts';
import { runningVersion } from '../../../domain/core/component-version.ts';
import { defined } from '../../../domain/core/defined.ts';

export type FoundAgent = Omit<NodeAgentFact, 'version'> & { version?: string; readyCount: number };

const KINDS = ['istio-cni', 'ztunnel'] as const;

/** The container whose image is the agent's. */
export const AGENT_CONTAINER: Record<NodeAgentFact['kind'], string> = { 'istio-cni': 'install-cni', ztunnel: 'istio-proxy' };

/** istio-cni first, as they are upgraded. `version` is absent where the image's tag has none. */
export async function listNodeAgents(port: KubernetesPort): Promise<FoundAgent[]> {
  const keep = (each: Workload): Workload | undefined => (kindOf(each) === undefined ? undefined : each);
  const found = (await port.list<Workload>({ apiVersion: 'apps/v1', plural: 'daemonsets' }, keep)) ?? [];
  return KINDS.flatMap((kind) =>
    found
      .filter((each) => kindOf(each) === kind)
      .map((each): FoundAgent => {
        const version = runningVersion(each, AGENT_CONTAINER[kind]);
        const { name, namespace = '' } = each.metadata;
        return { kind, namespace, daemonSet: name, readyCount: each.status?.numberAvailable ?? 0, ...defined({ version }) };
      }),
  );
}

/** Whatever its name, the chart selects the pods of ztunnel by `app: ztunnel` (istio/istio, ztunnel chart: daemonset.yaml, _helpers.tpl). */
function kindOf({ metadata, spec }: Workload): NodeAgentFact['kind'] | undefined {
  if (metadata.name === 'ztunnel' || spec?.template?.metadata?.labels?.['app'] === 'ztunnel') return 'ztunnel';
  return metadata.name.startsWith('istio-cni') ? 'istio-cni' : undefined;
}
