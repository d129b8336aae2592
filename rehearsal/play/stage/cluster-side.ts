/** The Kubernetes side of a stage: the twin's stand-ins for the API server and Prometheus, or real ones. */
import { randomBytes } from 'node:crypto';
import type { ManagedBy } from '../../../domain/facts/facts.ts';
import { ROLE_OPTIONS, type RoleOption } from '../../../domain/policy/permissions/options.ts';
import { karpenterHubs } from '../../controllers/karpenter/migration/conversion.ts';
import { podPrograms } from '../../controllers/istio/syncz.ts';
import { noteDeprecatedCall } from '../../aws/eks/cluster/removed-apis.ts';
import { hasEnded } from '../../aws/eks/sts.ts';
import type { ChartSource } from '../../neighbours/helm/repository.ts';
import { type KubernetesServer, startKubernetesServer } from '../../kubernetes/server.ts';
import type { ObjectStore } from '../../kubernetes/store.ts';
import { apiServerExposition, podExporters } from '../../neighbours/prometheus/exporters.ts';
import { startPrometheusServer } from '../../neighbours/prometheus/server.ts';
import { kubernetesRules, partOf } from '../../world/core/rights.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { type BuiltWorld, buildWorld } from '../../world/build.ts';
import type { WorldClock } from '../../world/clock.ts';

export interface ClusterSide {
  built: BuiltWorld;
  kubernetes: { url: string; caData: string };
  /** For people's kubeconfigs. */
  kubernetesToken: string;
  prometheusUrl: string;
  /** Istio's real charts; absent: the rehearsal's own. */
  charts?: ChartSource;
  close(): Promise<void>;
}

export interface ClusterSideOptions {
  scenario: Scenario;
  speed: number;
  /** By the names of the command line. */
  faults: readonly string[];
  /** One of several worlds: they share a clock, and those at rest are left alone. */
  among?: { clock: WorldClock };
  /** Real parts; the twin's stand-ins by default. */
  real?: {
    /** For logs, keys and data. */
    directory: string;
    say: (line: string) => void;
    /** A process cannot be kept alive. */
    onGivenUp: (error: Error) => void;
  };
}

export async function startClusterSide({ real, ...options }: ClusterSideOptions): Promise<ClusterSide> {
  if (real === undefined) return await startTwin(options);
  // Loaded only here: most rehearsals have no need of it.
  const { startRealKubernetes } = await import('../../real/kubernetes.ts');
  const { url, caData, token, ...side } = await startRealKubernetes({ ...options, ...real });
  return { ...side, kubernetes: { url, caData }, kubernetesToken: token };
}

async function startTwin({ scenario, speed, faults, among }: Omit<ClusterSideOptions, 'real'>): Promise<ClusterSide> {
  const built = buildWorld({ scenario, speed, faults, ...(among === undefined ? {} : { clock: among.clock, dozes: true }) });
  const kubernetesToken = randomBytes(24).toString('hex');
  const kubernetes = await serveKubernetes(built, kubernetesToken);
  const prometheus = await startPrometheusServer({ world: built.world });
  return {
    built,
    kubernetes,
    kubernetesToken,
    prometheusUrl: prometheus.url,
    close: async () => void (await Promise.all([kubernetes.close(), prometheus.close()])),
  };
}

/** The stand-in for a world's API server; `token` is people's. */
export function serveKubernetes(
  { world, scenario, doze }: Pick<BuiltWorld, 'world' | 'scenario' | 'doze'>,
  token: string,
): Promise<KubernetesServer> {
  // Whoever runs these Helm charts is an administrator: deploy/kubernetes-rbac-istio-helm.yaml, deploy/kubernetes-rbac-karpenter-helm.yaml.
  const administrator = scenario.managedBy.istio === 'helm' || scenario.managedBy.karpenter === 'helm';
  const optional = optionalRoles(scenario, world.store);
  const rules = {
    all: administrator ? undefined : kubernetesRules(optional),
    read: kubernetesRules(optional, 'read'),
    write: administrator ? undefined : kubernetesRules(optional, 'write'),
    // No access entry.
    none: [],
  };
  return startKubernetesServer({
    store: world.store,
    journal: world.journal,
    now: () => world.clock.now(),
    version: () => world.apiServerVersion(),
    down: () => world.apiServerDown(),
    staticTokens: [token],
    onRequest: () => doze?.touch(),
    ended: (accessKeyId) => hasEnded(world, accessKeyId),
    askedBefore: world.eks.deprecatedCalls.map(({ path }) => path),
    onDeprecated: (call) => noteDeprecatedCall(world, call),
    fates: world.faults,
    hubs: karpenterHubs(world.store),
    metrics: () => apiServerExposition(world),
    programs: (...asked) => podExporters(world)(...asked) ?? podPrograms(world)(...asked),
    rules: ({ accessKeyId = '' }) => {
      const part = partOf(accessKeyId, scenario.settings ?? {}, world.eks.assumed);
      return part === undefined ? undefined : rules[part];
    },
  });
}

/** Suffixes of the files of deploy/ that a cluster such as the scenario's needs beside the role for all. */
function optionalRoles(
  { managedBy, settings, migratesKarpenter, meshDebug, karpenter, prometheus }: Scenario,
  store: ObjectStore,
): RoleOption[] {
  const gitOps = (by?: ManagedBy): boolean => by === 'flux' || by === 'argocd';
  const used: Partial<Record<RoleOption, boolean>> = {
    'canary-node': karpenter?.['canaryNode'] !== undefined,
    // People may choose these at gates, whatever belay.yaml says.
    'delete-pods': true,
    'node-classes': true,
    gitops: gitOps(managedBy.karpenter) || gitOps(managedBy.istio),
    istio: store.list('deployments', { labels: { app: 'istiod' } }).length > 0,
    'istio-gitops': gitOps(managedBy.istio),
    'istio-helm': managedBy.istio === 'helm',
    'karpenter-helm': managedBy.karpenter === 'helm',
    'karpenter-migration': migratesKarpenter === true,
    'mesh-debug': meshDebug === true,
    'mesh-scrapes': prometheus === 'none',
    scrapes: prometheus === 'none',
    'self-managed': settings?.nodeGroups?.selfManaged === 'refresh',
  };
  return ROLE_OPTIONS.filter((option) => used[option] === true);
}
