/** What the server makes of a short manifest, and what it refuses. */
import { budget, deployment, namespace, node, pod, workload } from '../objects.ts';
import type { Area } from '../suite.ts';

export const defaults: Area = {
  name: 'defaults',
  cases: {
    workloads: async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('defaults-workloads'), { quiet: true });
      const apps = '/apis/apps/v1/namespaces/defaults-workloads';
      await talk.post(`${apps}/deployments`, deployment('one'));
      await talk.post(`${apps}/deployments`, deployment('recreate', { strategy: { type: 'Recreate' } }), {
        pick: (body) => body.spec.strategy,
      });
      await talk.post(`${apps}/statefulsets`, workload('StatefulSet', 'two', { serviceName: 'two' }));
      await talk.post(`${apps}/daemonsets`, workload('DaemonSet', 'three'));
      await talk.post(`${apps}/replicasets`, workload('ReplicaSet', 'four'));
      await talk.post('/apis/policy/v1/namespaces/defaults-workloads/poddisruptionbudgets', budget('one', 'one', { minAvailable: 1 }));
      await talk.post('/apis/batch/v1/namespaces/defaults-workloads/jobs', {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'one' },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } } },
      });
      await talk.post('/apis/batch/v1/namespaces/defaults-workloads/cronjobs', {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'one' },
        spec: {
          schedule: '0 * * * *',
          jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } } } },
        },
      });
    },
    pods: async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('defaults-pods'), { quiet: true });
      const path = '/api/v1/namespaces/defaults-pods/pods';
      await talk.post(path, pod('one'));
      await talk.post(
        path,
        pod(
          'two',
          {},
          {
            initContainers: [{ name: 'side', image: 'side', restartPolicy: 'Always' }],
            containers: [
              {
                name: 'app',
                image: 'registry.example/app',
                ports: [{ containerPort: 80 }],
                resources: { limits: { cpu: 1, memory: '1024Mi' }, requests: { cpu: '0.5' } },
                readinessProbe: { httpGet: { path: '/', port: 80 } },
                env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
                volumeMounts: [{ name: 'config', mountPath: '/config' }],
              },
            ],
            volumes: [
              { name: 'config', configMap: { name: 'config' } },
              { name: 'secret', secret: { secretName: 'secret' } },
              { name: 'scratch', emptyDir: {} },
              { name: 'host', hostPath: { path: '/var' } },
            ],
            tolerations: [{ key: 'a', operator: 'Exists' }],
          },
        ),
      );
      await talk.post(
        path,
        pod('three', {}, { containers: [{ name: 'app', image: 'app:1', resources: { limits: { cpu: '1', memory: '1Gi' } } }] }),
        { pick: (body) => [body.spec.containers[0].resources, body.status] },
      );
      await talk.post(path, pod('four', {}, { hostNetwork: true, tolerations: [{ operator: 'Exists' }], serviceAccountName: 'runner' }), {
        pick: (body) => [body.spec, body.status],
      });
    },
    'nodes and services': async (talk) => {
      await talk.post('/api/v1/nodes', {
        ...node('defaults-node', { labels: { zone: 'a' } }),
        status: { capacity: { cpu: '4', memory: '16Gi' }, allocatable: { cpu: '4' } },
      });
      await talk.delete('/api/v1/nodes/defaults-node', undefined, { quiet: true });
      await talk.post('/api/v1/namespaces', namespace('defaults-services'), { quiet: true });
      talk.normaliser.hide(/^10\.\d+\.\d+\.\d+$/, '<cluster ip>');
      await talk.post('/api/v1/namespaces/defaults-services/services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'one' },
        spec: { selector: { app: 'one' }, ports: [{ port: 80 }] },
      });
      await talk.post('/api/v1/namespaces/defaults-services/services', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'two' },
        spec: { clusterIP: 'None', selector: { app: 'one' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
      });
      await talk.post('/api/v1/namespaces/defaults-services/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'one' },
      });
    },
    'events and leases': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('defaults-events'), { quiet: true });
      await talk.post('/api/v1/namespaces/defaults-events/events', {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'one.1' },
        involvedObject: { kind: 'Pod', name: 'one', namespace: 'defaults-events', apiVersion: 'v1' },
        reason: 'Testing',
        message: 'an event',
        type: 'Normal',
        source: { component: 'contract' },
        firstTimestamp: '2026-03-02T09:00:00Z',
        lastTimestamp: '2026-03-02T09:00:00Z',
        count: 1,
      });
      await talk.get('/api/v1/namespaces/defaults-events/events?fieldSelector=involvedObject.name%3Done%2CinvolvedObject.kind%3DPod', {
        pick: (body) => body.items?.length ?? body,
      });
      await talk.post('/apis/coordination.k8s.io/v1/namespaces/defaults-events/leases', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'one' },
        spec: { holderIdentity: 'me', leaseDurationSeconds: 40, renewTime: '2026-03-02T09:00:00.000000Z' },
      });
    },
    'manifests that are refused': async (talk) => {
      await talk.post('/api/v1/namespaces', namespace('defaults-invalid'), { quiet: true });
      const apps = '/apis/apps/v1/namespaces/defaults-invalid/deployments';
      await talk.post(apps, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'empty' }, spec: {} });
      await talk.post(apps, deployment('mismatch', { selector: { matchLabels: { app: 'other' } } }));
      await talk.post(apps, deployment('negative', { replicas: -1 }));
      await talk.post(apps, deployment('still', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }));
      await talk.post(apps, deployment('odd', { strategy: { type: 'Sometimes' } }));
      const pods = '/api/v1/namespaces/defaults-invalid/pods';
      await talk.post(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'empty' }, spec: {} });
      await talk.post(pods, pod('bad', {}, { containers: [{ name: 'app' }] }));
      await talk.post(pods, pod('bad', {}, { containers: [{ image: 'app:1' }] }));
      await talk.post(pods, pod('bad', {}, { restartPolicy: 'Sometimes' }));
      await talk.post(
        '/apis/policy/v1/namespaces/defaults-invalid/poddisruptionbudgets',
        budget('both', 'x', { minAvailable: 1, maxUnavailable: 1 }),
      );
      await talk.post('/apis/policy/v1/namespaces/defaults-invalid/poddisruptionbudgets', budget('bad', 'x', { minAvailable: '10' }));
      await talk.post('/apis/policy/v1/namespaces/defaults-invalid/poddisruptionbudgets', budget('bad', 'x', { minAvailable: -1 }));
    },
  },
};
