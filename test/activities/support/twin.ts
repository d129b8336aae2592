/** The twin's stand-ins of EKS and Kubernetes over HTTP, with clients of activities: rights are a test's to give and to take. */
import { type ClusterClients, createClusterClients } from '../../../activities/clients/clusters.ts';
import { startAwsServer } from '../../../rehearsal/aws/eks/server.ts';
import { hasEnded } from '../../../rehearsal/aws/eks/sts.ts';
import { EVERYTHING, type PolicyRule } from '../../../rehearsal/kubernetes/http/access/rbac.ts';
import { startKubernetesServer } from '../../../rehearsal/kubernetes/server.ts';
import { apiServerExposition, podExporters } from '../../../rehearsal/neighbours/prometheus/exporters.ts';
import { type BuiltWorld, buildWorld } from '../../../rehearsal/world/build.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';

export interface Rights {
  /** Actions as IAM names them. Default: all. */
  aws?: (action: string) => boolean;
  /** Default: everything. */
  kubernetes?: () => PolicyRule[];
}

export interface Twin {
  built: BuiltWorld;
  ref: ClusterRef;
  clients: ClusterClients;
  /** From the next request on. Right after an allowed call a client takes a 403 for transient: new rights want `freshClients`. */
  grant(rights: Rights): void;
  /** Clients that have not been allowed anything yet; whoever asks for them closes them. */
  freshClients(): ClusterClients;
  close(): Promise<void>;
}

/** A scenario's world, running. */
export async function startTwin(scenario: string | Scenario, faults: string[] = []): Promise<Twin> {
  const built = buildWorld({ scenario, speed: 600, faults });
  const { world } = built;
  let rights: Rights = {};
  const kubernetes = await startKubernetesServer({
    store: world.store,
    journal: world.journal,
    now: () => world.clock.now(),
    version: () => world.apiServerVersion(),
    down: () => world.apiServerDown(),
    metrics: () => apiServerExposition(world),
    programs: podExporters(world),
    fates: world.faults,
    ended: (accessKeyId) => hasEnded(world, accessKeyId),
    rules: () => rights.kubernetes?.() ?? [...EVERYTHING],
  });
  Object.assign(world.eks.cluster, { endpoint: kubernetes.url, caData: kubernetes.caData });
  const aws = await startAwsServer({ world, forbidden: (action) => rights.aws?.(action) === false });
  const endpointBefore = process.env['AWS_ENDPOINT_URL'] ?? '';
  Object.assign(process.env, { AWS_ENDPOINT_URL: aws.url, AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example-secret' });
  const ref = built.scenario.cluster;
  const open = (): ClusterClients => createClusterClients({ settings: () => ({ ref }) });
  const clients = open();
  built.start();
  return {
    built,
    ref,
    clients,
    grant: (given) => {
      rights = given;
    },
    freshClients: open,
    async close() {
      built.stop();
      await clients.close();
      await Promise.all([aws.close(), kubernetes.close()]);
      // Clients of another twin may not have looked yet.
      process.env['AWS_ENDPOINT_URL'] = endpointBefore;
    },
  };
}
