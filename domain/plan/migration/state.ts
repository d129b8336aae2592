/** What a cluster shows of its way to a newer API of Karpenter. A field that is absent could not be read: `unknowns` says why. */
import type { ClusterFacts } from '../../facts/facts.ts';
import type { Manifest } from './edit.ts';
import type { Step } from './names.ts';

export interface MigrationState {
  step: Step;
  /** "1.30" */
  kubernetes: string;
  controller?: { version: string; namespace: string; name: string } | 'none';
  /** Karpenter's own. */
  definitions?: DefinitionSeen[];
  /** Admission webhooks by names that only Karpenter 0.32 to 0.37 serves. */
  oldWebhooks?: { kind: string; name: string }[];
  /** Objects of the older API, and workloads that name what it called otherwise; nobody else's objects own them. */
  objects: SeenObject[];
  /** false: some kind could not be read, there may be more. */
  complete: boolean;
  /** How many Machines are left of v1alpha5. */
  machineCount?: number;
  /** NodePools that carry kubelet settings in an annotation, as Karpenter 1.0 left them. */
  kubeletAnnotated?: string[];
  unknowns: ClusterFacts['unknowns'];
}

/** `deliveredBy`: whoever wrote it will write it again. */
export interface SeenObject {
  manifest: Manifest;
  deliveredBy?: 'flux' | 'argocd' | 'terraform' | 'helm';
}

export interface DefinitionSeen {
  /** "nodepools.karpenter.sh" */
  name: string;
  served: string[];
  storage: string;
  storedVersions: string[];
  conversion: Conversion;
}

export type Conversion = { kind: 'none' } | { kind: 'webhook'; service: ServiceRef | 'none' /** Why nobody answers. */; broken?: string };

export interface ServiceRef {
  namespace: string;
  name: string;
  port: number;
}

/** What is wrong with a conversion webhook's Service; undefined: nothing. `ports` absent: there is no such Service. */
export function brokenService(
  { namespace, name, port }: ServiceRef,
  ports: readonly number[] | undefined,
  readyCount: number,
): string | undefined {
  const service = `Service ${namespace}/${name}`;
  if (ports === undefined) return `${service} does not exist`;
  if (!ports.includes(port)) return `${service} has no port ${port} (it has ${ports.join(', ') || 'none'})`;
  return readyCount === 0 ? `${service} has no ready endpoint` : undefined;
}
