/** Objects of a healthy cluster, as an API server gives them; a test changes one thing. */
import type { Seed } from './fake-kubernetes.ts';

type Json = Record<string, unknown>;

export function nodePoolObject(
  name: string,
  disruption: Json | undefined,
  change: { annotations?: Record<string, string>; group?: string } = {},
): Seed {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name, annotations: change.annotations ?? { 'karpenter.sh/nodepool-hash': '377058807571762610' } },
    spec: {
      template: { spec: { nodeClassRef: { group: change.group ?? 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } } },
      ...(disruption === undefined ? {} : { disruption }),
    },
    status: { conditions: [condition('Ready'), condition('NodeRegistrationHealthy')] },
  };
}

export function nodeClassObject(name: string, spec: Json = { amiSelectorTerms: [{ alias: 'al2023@latest' }] }): Seed {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec,
    status: { conditions: [condition('Ready')] },
  };
}

export function nodeObject(
  name: string,
  minor: string,
  change: { pool?: string; arch?: string; labels?: Record<string, string>; annotations?: Record<string, string>; deleting?: boolean } = {},
): Seed {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'karpenter.sh/nodepool': change.pool ?? 'default', 'kubernetes.io/arch': change.arch ?? 'amd64', ...change.labels },
      ...(change.annotations === undefined ? {} : { annotations: change.annotations }),
      ...(change.deleting === true ? { deletionTimestamp: '2031-01-01T00:00:00Z' } : {}),
    },
    status: { nodeInfo: { kubeletVersion: `v${minor}.1-eks-b9364f6` }, conditions: [condition('Ready')] },
  };
}

export function nodeClaimObject(
  name: string,
  node: string | undefined,
  change: {
    drifted?: boolean;
    image?: string;
    initialized?: boolean;
    nodeClass?: string;
    group?: string;
    pool?: string;
    launched?: Json;
  } = {},
): Seed {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, labels: { 'karpenter.sh/nodepool': change.pool ?? 'default' } },
    spec: { nodeClassRef: { group: change.group ?? 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: change.nodeClass ?? 'default' } },
    status: {
      ...(node === undefined ? {} : { nodeName: node }),
      imageID: change.image ?? 'ami-0aa1',
      conditions: [
        change.launched ?? condition('Launched'),
        condition('Initialized', change.initialized === false ? 'Unknown' : 'True'),
        ...(change.drifted === true ? [condition('Drifted', 'True', 'AMIDrift')] : []),
      ],
    },
  };
}

export function podObject(
  namespace: string,
  name: string,
  change: {
    node?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    owner?: { kind: string; name: string };
    proxy?: string;
    native?: boolean;
    phase?: string;
    hostNetwork?: boolean;
  } = {},
): Seed {
  const proxy = change.proxy === undefined ? [] : [{ name: 'istio-proxy', image: `docker.io/istio/proxyv2:${change.proxy}` }];
  const app = { name: 'app', image: 'example/app:1' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      labels: { ...(change.labels ?? { app: name.split('-')[0] ?? name }), ...hashOf(change.owner) },
      ...(change.annotations === undefined ? {} : { annotations: change.annotations }),
      ...(change.owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'apps/v1', uid: 'owner', controller: true, ...change.owner }] }),
    },
    spec: {
      nodeName: change.node ?? 'node-1',
      ...(change.hostNetwork === true ? { hostNetwork: true } : {}),
      containers: change.native === true ? [app] : [app, ...proxy],
      initContainers: change.native === true ? proxy : [],
    },
    status: { phase: change.phase ?? 'Running' },
  };
}

/** A ReplicaSet of a Deployment has the hash at the end of its name. */
function hashOf(owner?: { kind: string; name: string }): Record<string, string> {
  const hash = owner?.kind === 'ReplicaSet' ? /-([^-]+)$/.exec(owner.name)?.[1] : undefined;
  return hash === undefined ? {} : { 'pod-template-hash': hash };
}

export function workloadObject(kind: 'Deployment' | 'StatefulSet' | 'DaemonSet', namespace: string, name: string, spec: Json = {}): Seed {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace, generation: 1 },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'example/app:1' }] } },
      ...spec,
    },
    // A generation far ahead: fakes have no controller, and a rollout counts as complete unless a test says otherwise.
    status: {
      observedGeneration: 99,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      desiredNumberScheduled: 1,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
    },
  };
}

export function budgetObject(namespace: string, name: string, selector: Json | null, disruptionsAllowed = 0): Seed {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
    spec: { minAvailable: 1, selector },
    status: { disruptionsAllowed, expectedPods: 1, currentHealthy: 1, desiredHealthy: 1 },
  };
}

export function condition(
  type: string,
  status = 'True',
  reason = type,
  message = '',
): { type: string; status: string; reason: string; message: string } {
  return { type, status, reason, message };
}
