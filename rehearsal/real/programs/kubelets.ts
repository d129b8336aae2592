/** Kubelets that take their time: KWOK's stages for clusters whose nodes and pods are Ready only after a while (kwok.sigs.k8s.io, "Stages"). */

/** Any length from the first to the second, in ms. */
type Between = readonly [least: number, most: number];

/** Wall milliseconds. */
export interface KubeletPace {
  /** From a Node's registration to Ready, of Karpenter's nodes. Others are Ready at once: EKS gives up on an update of a node group whose nodes take long. */
  nodeReadyMs: Between;
  /** From a pod's binding to Ready. */
  podReadyMs: number;
}

const NOT_READY = { key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: 'NotIn', values: ['True'] };
const NODEPOOL = '.metadata.labels["karpenter.sh/nodepool"]';
const NOW = '{{ Now | Quote }}';

/** Documents for `kwok --config`: they take the place of its own stages for nodes and pods. */
export function kubeletStages({ nodeReadyMs, podReadyMs }: KubeletPace): object[] {
  return [
    stage('node-ready', 'Node', {
      when: [NOT_READY, { key: NODEPOOL, operator: 'Exists' }],
      delayMs: nodeReadyMs,
      next: { statusTemplate: NODE_STATUS },
    }),
    stage('other-node-ready', 'Node', {
      when: [NOT_READY, { key: NODEPOOL, operator: 'DoesNotExist' }],
      delayMs: [0, 0],
      next: { statusTemplate: NODE_STATUS },
    }),
    stage('pod-ready', 'Pod', {
      when: [
        { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' },
        { key: '.status.podIP', operator: 'DoesNotExist' },
      ],
      delayMs: [podReadyMs, podReadyMs],
      next: { statusTemplate: POD_STATUS },
    }),
    stage('pod-gone', 'Pod', {
      when: [{ key: '.metadata.deletionTimestamp', operator: 'Exists' }],
      delayMs: [0, 0],
      next: { finalizers: { empty: true }, delete: true },
    }),
  ];
}

function stage(
  name: string,
  kind: 'Node' | 'Pod',
  { when, delayMs: [least, most], next }: { when: object[]; delayMs: Between; next: object },
): object {
  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: {
      resourceRef: { apiGroup: 'v1', kind },
      selector: { matchExpressions: when },
      ...(most === 0 ? {} : { delay: { durationMilliseconds: least, jitterDurationMilliseconds: most } }),
      next,
    },
  };
}

/** A node keeps what whoever made it has said of it: size, versions, addresses. */
const NODE_STATUS = `
conditions:
{{ range NodeConditions }}
- { type: {{ .type | Quote }}, status: {{ .status | Quote }}, reason: {{ .reason | Quote }}, message: {{ .message | Quote }}, lastHeartbeatTime: ${NOW}, lastTransitionTime: ${NOW} }
{{ end }}
{{ if not .status.addresses }}
addresses:
- { type: InternalIP, address: {{ NodeIP | Quote }} }
- { type: Hostname, address: {{ NodeName | Quote }} }
{{ end }}
phase: Running
`;

const POD_STATUS = `
conditions:
- { type: Initialized, status: "True", lastTransitionTime: ${NOW} }
- { type: Ready, status: "True", lastTransitionTime: ${NOW} }
- { type: ContainersReady, status: "True", lastTransitionTime: ${NOW} }
containerStatuses:
{{ range .spec.containers }}
- { name: {{ .name | Quote }}, image: {{ .image | Quote }}, ready: true, started: true, restartCount: 0, state: { running: { startedAt: ${NOW} } } }
{{ end }}
hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) | Quote }}
phase: Running
startTime: ${NOW}
`;
