/** Tables, as kubectl get prints them. */
import { budget, deployment, namespace, node, pod, workload } from '../objects.ts';
import type { Area } from '../suite.ts';

export const tables: Area = {
  name: 'tables',
  cases: {
    'columns and cells by kind': async (talk) => {
      talk.normaliser.hide(/^\d+s$/, '<age>');
      const home = 'tables';
      await talk.post('/api/v1/namespaces', namespace(home), { quiet: true });
      const apps = `/apis/apps/v1/namespaces/${home}`;
      const core = `/api/v1/namespaces/${home}`;
      const show = (path: string) => talk.table(`${path}?includeObject=None`);
      await talk.post(`${apps}/deployments`, deployment('one', { replicas: 2 }), { quiet: true });
      await talk.patch(
        `${apps}/deployments/one/status`,
        'merge',
        { status: { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 } },
        { quiet: true },
      );
      await show(`${apps}/deployments`);
      await talk.post(`${apps}/statefulsets`, workload('StatefulSet', 'one', { serviceName: 'one' }), { quiet: true });
      await show(`${apps}/statefulsets`);
      await talk.post(`${apps}/daemonsets`, workload('DaemonSet', 'one'), { quiet: true });
      await show(`${apps}/daemonsets`);
      await talk.post(`${apps}/replicasets`, workload('ReplicaSet', 'one'), { quiet: true });
      await show(`${apps}/replicasets`);
      for (const spec of [{ minAvailable: 1 }, { maxUnavailable: '20%' }])
        await talk.post(
          `/apis/policy/v1/namespaces/${home}/poddisruptionbudgets`,
          budget(Object.keys(spec)[0]?.toLowerCase() ?? '', 'one', spec),
          { quiet: true },
        );
      await show(`/apis/policy/v1/namespaces/${home}/poddisruptionbudgets`);
      await talk.post(`${core}/configmaps`, { kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: '1', b: '2' } }, { quiet: true });
      await show(`${core}/configmaps`);
      await talk.post(`${core}/secrets`, { kind: 'Secret', metadata: { name: 'one' }, stringData: { a: '1' } }, { quiet: true });
      await show(`${core}/secrets`);
      await talk.post(`${core}/serviceaccounts`, { kind: 'ServiceAccount', metadata: { name: 'one' } }, { quiet: true });
      await show(`${core}/serviceaccounts`);
      await show(`/api/v1/namespaces/${home}`);
      await talk.post(
        `/apis/coordination.k8s.io/v1/namespaces/${home}/leases`,
        { kind: 'Lease', metadata: { name: 'one' }, spec: { holderIdentity: 'me' } },
        { quiet: true },
      );
      await show(`/apis/coordination.k8s.io/v1/namespaces/${home}/leases`);
    },
    nodes: async (talk) => {
      talk.normaliser.hide(/^\d+s$/, '<age>');
      const status = {
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: {
          kubeletVersion: 'v1.33.5-eks-1',
          osImage: 'Amazon Linux 2023',
          kernelVersion: '6.1',
          containerRuntimeVersion: 'containerd://2.0',
          architecture: 'amd64',
          bootID: 'b',
          machineID: 'm',
          systemUUID: 's',
          operatingSystem: 'linux',
          kubeProxyVersion: '',
        },
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      };
      for (const [name, spec, labels, shown] of [
        ['tables-a', {}, { 'node-role.kubernetes.io/worker': '' }, status],
        ['tables-b', { unschedulable: true }, {}, { ...status, conditions: [{ type: 'Ready', status: 'False' }] }],
        ['tables-c', {}, {}, { conditions: [{ type: 'Ready', status: 'Unknown' }] }],
        ['tables-d', {}, {}, {}],
      ] as const) {
        await talk.post('/api/v1/nodes', node(name, { labels }, spec), { quiet: true });
        await talk.patch(`/api/v1/nodes/${name}/status`, 'merge', { status: shown }, { quiet: true });
        await talk.table(`/api/v1/nodes/${name}?includeObject=None`);
        await talk.delete(`/api/v1/nodes/${name}`, undefined, { quiet: true });
      }
    },
    pods: async (talk) => {
      talk.normaliser.hide(/^\d+s$/, '<age>');
      await talk.post('/api/v1/namespaces', namespace('tables-pods'), { quiet: true });
      const path = '/api/v1/namespaces/tables-pods/pods';
      const container = (state: object, more: object = {}) => ({
        name: 'app',
        image: 'app:1',
        imageID: '',
        ready: false,
        restartCount: 0,
        state,
        ...more,
      });
      const statuses: Record<string, object> = {
        running: {
          phase: 'Running',
          podIP: '10.1.0.1',
          podIPs: [{ ip: '10.1.0.1' }],
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [container({ running: {} }, { ready: true })],
        },
        crashing: { phase: 'Running', containerStatuses: [container({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 5 })] },
        pulling: { phase: 'Pending', containerStatuses: [container({ waiting: { reason: 'ImagePullBackOff' } })] },
        done: { phase: 'Succeeded', containerStatuses: [container({ terminated: { exitCode: 0, reason: 'Completed' } })] },
        failed: { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 3 } })] },
        evicted: { phase: 'Failed', reason: 'Evicted' },
        gated: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
        lost: { phase: 'Running', reason: 'NodeLost' },
      };
      for (const [name, status] of Object.entries(statuses)) {
        await talk.post(path, pod(name, {}, { nodeName: 'tables-node' }), { quiet: true });
        await talk.patch(`${path}/${name}/status`, 'merge', { status }, { quiet: true });
      }
      await talk.post(path, pod('pending'), { quiet: true });
      await talk.post(path, pod('ending', {}, { nodeName: 'tables-node' }), { quiet: true });
      await talk.delete(`${path}/ending`, undefined, { quiet: true });
      await talk.table(`${path}?includeObject=None`);
      await talk.table(`${path}/running?includeObject=Object`, {
        pick: (body) => body.rows.map((row: { object: { kind: string; apiVersion: string } }) => [row.object.kind, row.object.apiVersion]),
      });
      await talk.table(`${path}/running`, {
        pick: (body) => body.rows.map((row: { object: { kind: string; apiVersion: string } }) => [row.object.kind, row.object.apiVersion]),
      });
      await talk.table(`${path}/none`);
    },
    services: async (talk) => {
      talk.normaliser.hide(/^\d+s$/, '<age>');
      talk.normaliser.hide(/^10\.\d+\.\d+\.\d+$/, '<cluster ip>');
      await talk.post('/api/v1/namespaces', namespace('tables-services'), { quiet: true });
      const path = '/api/v1/namespaces/tables-services/services';
      await talk.post(
        path,
        {
          kind: 'Service',
          metadata: { name: 'one' },
          spec: {
            selector: { app: 'one' },
            ports: [{ port: 80 }, { port: 443, name: 'tls', protocol: 'TCP' }].map((port, index) => ({ name: `p${index}`, ...port })),
          },
        },
        { quiet: true },
      );
      await talk.post(
        path,
        { kind: 'Service', metadata: { name: 'two' }, spec: { clusterIP: 'None', ports: [{ port: 80 }] } },
        { quiet: true },
      );
      await talk.table(`${path}?includeObject=None`);
    },
  },
};
