/** A mesh: istiod and webhooks of revisions 1-26 and 1-28, tag `prod`, two namespaces on 1-26. Helm release of 1-26. */
import { gzipSync } from 'node:zlib';
import { FakeKubernetes, type Seed } from './fake-kubernetes.ts';
import { condition, podObject, workloadObject } from './kubernetes-objects.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';

export const NAMESPACE = (name: string) => ({ apiVersion: 'v1', plural: 'namespaces', name });
export const MUTATING = (name: string) => ({ apiVersion: ADMISSION, plural: 'mutatingwebhookconfigurations', name });
export const VALIDATOR = { apiVersion: ADMISSION, plural: 'validatingwebhookconfigurations', name: 'istiod-default-validator' };

export function meshWorld(): FakeKubernetes {
  const port = new FakeKubernetes();
  addRevision(port, '1-26', '1.26.2');
  addRevision(port, '1-28', '1.28.3');
  addTag(port, 'prod', '1-26');
  port.put(ADMISSION, 'validatingwebhookconfigurations', {
    metadata: { name: 'istiod-default-validator', labels: { app: 'istiod', 'istio.io/rev': '1-26' } },
    webhooks: [{ name: 'validation.istio.io', clientConfig: clientConfig('1-26', 'ca-1-26', '/validate') }],
  });
  for (const namespace of ['cart', 'mail']) {
    port.put('v1', 'namespaces', { metadata: { name: namespace, labels: { 'istio.io/rev': '1-26', team: 'a' } } });
    addWorkload(port, namespace, 'web');
    addMeshPod(port, namespace, 'web', '1-26', '1.26.2');
  }
  return port.put('v1', 'namespaces', { metadata: { name: 'istio-system' } });
}

export function addRevision(port: FakeKubernetes, revision: string, version: string): void {
  const istiod = workloadObject('Deployment', 'istio-system', `istiod-${revision}`, {
    template: {
      metadata: { labels: { app: 'istiod', 'istio.io/rev': revision } },
      spec: { containers: [{ name: 'discovery', image: `docker.io/istio/pilot:${version}` }] },
    },
  });
  port.put('apps/v1', 'deployments', {
    ...istiod,
    metadata: { ...istiod.metadata, labels: { app: 'istiod', 'istio.io/rev': revision } },
    status: { ...(istiod.status as object), conditions: [condition('Available')] },
  });
  port.put('v1', 'services', {
    metadata: { name: `istiod-${revision}`, namespace: 'istio-system', labels: { app: 'istiod', 'istio.io/rev': revision } },
    spec: { selector: { app: 'istiod', 'istio.io/rev': revision } },
  });
  port.put(ADMISSION, 'mutatingwebhookconfigurations', {
    metadata: { name: `istio-sidecar-injector-${revision}`, labels: { app: 'sidecar-injector', 'istio.io/rev': revision } },
    webhooks: [{ name: 'rev.namespace.sidecar-injector.istio.io', clientConfig: clientConfig(revision, `ca-${revision}`) }],
  });
}

export function addTag(port: FakeKubernetes, tag: string, revision: string): void {
  port.put(ADMISSION, 'mutatingwebhookconfigurations', {
    metadata: { name: `istio-revision-tag-${tag}`, labels: { app: 'sidecar-injector', 'istio.io/tag': tag, 'istio.io/rev': revision } },
    webhooks: ['rev.namespace', 'rev.object'].map((name) => ({
      name: `${name}.sidecar-injector.istio.io`,
      clientConfig: clientConfig(revision, `ca-${revision}`),
      namespaceSelector: { matchExpressions: [{ key: 'istio.io/rev', operator: 'In', values: [tag] }] },
    })),
  });
}

function clientConfig(revision: string, caBundle: string, path = '/inject'): object {
  return { service: { name: `istiod-${revision}`, namespace: 'istio-system', path, port: 443 }, caBundle };
}

export function addWorkload(
  port: FakeKubernetes,
  namespace: string,
  name: string,
  spec: Record<string, unknown> = {},
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' = 'Deployment',
): void {
  const plural = { Deployment: 'deployments', StatefulSet: 'statefulsets', DaemonSet: 'daemonsets' }[kind];
  port.put('apps/v1', plural, workloadObject(kind, namespace, name, spec));
}

/** A pod of a Deployment, with a proxy. */
export function addMeshPod(
  port: FakeKubernetes,
  namespace: string,
  name: string,
  revision: string,
  version: string,
  change: Partial<Parameters<typeof podObject>[2]> = {},
): void {
  port.put(
    'v1',
    'pods',
    podObject(namespace, `${name}-7c9d-x`, {
      owner: { kind: 'ReplicaSet', name: `${name}-7c9d` },
      annotations: { 'istio.io/rev': revision },
      proxy: version,
      ...change,
    }),
  );
}

/** As istiod writes one proxy of /debug/syncz (pilot/pkg/xds/debug.go). `acked`: of its clusters; what was sent is "c1". */
export const syncOf = (pod: string, acked = 'c1'): object => {
  const [namespace = '', name = ''] = pod.split('/');
  return {
    cluster_id: 'Kubernetes',
    proxy: `${name}.${namespace}`,
    proxy_type: 'sidecar',
    istio_version: '1.28.3',
    cluster_sent: 'c1',
    cluster_acked: acked,
    listener_sent: 'l1',
    listener_acked: 'l1',
    endpoint_sent: 'e1',
    endpoint_acked: 'e1',
    resources: {
      'type.googleapis.com/envoy.config.cluster.v3.Cluster': { sent: 'c1', acked, sentTime: '2026-08-27T12:45:20.000000001Z' },
    },
  };
};

/** Pods of istiod, each with the proxies that are connected to it; Belay may ask them. */
export function addIstiodPods(port: FakeKubernetes, revision: string, ...proxies: readonly (readonly object[])[]): void {
  for (const [index, connected] of proxies.entries()) {
    const name = `istiod-${revision}-6d5c-${index}`;
    const labels = { app: 'istiod', 'istio.io/rev': revision };
    port.put('v1', 'pods', podObject('istio-system', name, { labels, owner: { kind: 'ReplicaSet', name: `istiod-${revision}-6d5c` } }));
    const place = `istio-system/${name}:15014/debug/syncz`;
    port.inPods = { ...port.inPods, [place]: { status: 200, body: JSON.stringify(connected) } };
  }
}

/** A Helm release's Secret, encoded as Helm does. */
export function helmSecret(
  name: string,
  status: string,
  change: { version?: number; appVersion?: string; config?: object; labels?: Record<string, string> } = {},
): Seed {
  const { version = 1, appVersion = '1.26.2', config = {}, labels = {} } = change;
  const release = {
    name,
    namespace: 'istio-system',
    version,
    info: { status },
    chart: { metadata: { name: 'istiod', version: appVersion, appVersion } },
    config,
  };
  const data = Buffer.from(gzipSync(JSON.stringify(release)).toString('base64')).toString('base64');
  return {
    type: 'helm.sh/release.v1',
    metadata: {
      name: `sh.helm.release.v1.${name}.v${version}`,
      namespace: 'istio-system',
      labels: { owner: 'helm', name, status, version: String(version), ...labels },
    },
    data: { release: data },
  };
}
