/** Small objects that cases begin with. */

export const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

export const configMap = (name: string, data: Record<string, string> = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

export const pod = (name: string, metadata: object = {}, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
});

export const node = (name: string, metadata: object = {}, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...metadata },
  spec,
});

export const deployment = (name: string, spec: object = {}) => workload('Deployment', name, spec);

export const workload = (kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet', name: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    ...spec,
  },
});

export const budget = (name: string, app: string, spec: object) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name },
  spec: { selector: { matchLabels: { app } }, ...spec },
});

/** A CRD of the group contract.belay.dev. */
export const definition = (plural: string, kind: string, schema: object, more: object = {}, version: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.contract.belay.dev` },
  spec: {
    group: 'contract.belay.dev',
    scope: 'Namespaced',
    names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
    ...more,
  },
});

/** A pod's status as a kubelet writes it. */
export const running = (ready = true) => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-03-02T09:00:00Z' }],
});
