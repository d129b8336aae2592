/** The real Karpenter with its KWOK provider, as test/real/go/karpenter makes it look like the one for AWS. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { Role } from '../troupe.ts';

const MAX_CRDS_BYTES = 16 * 1024 * 1024;

export interface KarpenterOptions {
  directory: string;
  kubeconfig: string;
  cluster: { name: string; endpoint: string; zones: readonly string[] };
  ports: { metrics: number; health: number };
}

/** The CRDs that come with it. */
export async function karpenterDefinitions(command: string): Promise<KubeObject[]> {
  const { stdout } = await promisify(execFile)(command, ['crds'], { maxBuffer: MAX_CRDS_BYTES });
  return JSON.parse(stdout);
}

export function karpenterRole(command: string, { directory, kubeconfig, cluster, ports }: KarpenterOptions): Role {
  const instanceTypes = join(directory, 'instance-types.json');
  writeFileSync(instanceTypes, JSON.stringify([instanceType(cluster.zones)]));
  return {
    name: 'karpenter',
    command,
    args: [],
    env: {
      KUBECONFIG: kubeconfig,
      DISABLE_LEADER_ELECTION: 'true',
      SYSTEM_NAMESPACE: 'kube-system',
      KARPENTER_SERVICE: 'karpenter',
      KUBERNETES_MIN_VERSION: '1.25.0-0',
      METRICS_PORT: String(ports.metrics),
      HEALTH_PROBE_PORT: String(ports.health),
      CLUSTER_NAME: cluster.name,
      CLUSTER_ENDPOINT: cluster.endpoint,
      INSTANCE_TYPES_FILE_PATH: instanceTypes,
      // Wall time: a rehearsal has no reason to wait as long as a cloud bill has.
      BATCH_MAX_DURATION: '2s',
      BATCH_IDLE_DURATION: '500ms',
      PREFERENCE_POLICY: 'Respect',
      MIN_VALUES_POLICY: 'Strict',
    },
  };
}

/** One type, so that neither prices nor bin packing move nodes while an upgrade is watched. */
function instanceType(zones: readonly string[]): object {
  return {
    name: 'm6i.xlarge',
    architecture: 'amd64',
    operatingSystems: ['linux'],
    resources: { cpu: '4', memory: '16Gi', pods: '58', 'ephemeral-storage': '20Gi' },
    offerings: zones.map((zone) => ({
      Price: 0.2,
      Available: true,
      Requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
      ],
    })),
  };
}
