/** What controllers make of workloads: the controller manager's and the scheduler's part of the contract. */
import type { Conversation, Json } from '../conversation.ts';
import { budget, configMap, pod, workload } from '../objects.ts';
import type { Area } from '../suite.ts';
import { events, pods, replicaSets, rolledOut, told, toldOnItsWay } from './workload-picks.ts';
import { report, runUntil, type Stage, stage, strike } from './kubelet.ts';

const eviction = (name: string) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });

/** Why a Deployment says that it makes progress. */
/** What a namespace says that it still waits for. */
const remaining = ({ conditions = [] }: Json): string | undefined =>
  conditions.find(({ type }: Json) => type === 'NamespaceContentRemaining')?.message;

async function onStage(talk: Conversation, name: string, nodes: number, act: (set: Stage) => Promise<void>): Promise<void> {
  const set = await stage(talk, name, nodes);
  try {
    await act(set);
  } finally {
    await strike(talk, set);
  }
}

export const controllers: Area = {
  name: 'controllers',
  cases: {
    'a Deployment is rolled out, changed, rolled back and scaled': (talk) =>
      onStage(talk, 'deploy', 2, async (set) => {
        const path = `${set.apps}/deployments/web`;
        const image = (tag: string) => ({ spec: { template: { spec: { containers: [{ name: 'app', image: `app:${tag}` }] } } } });
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 3 }), { quiet: true });
        await runUntil(talk, set, path, rolledOut(3));
        await talk.get(path, { pick: told });
        await talk.get(`${set.apps}/replicasets`, { pick: replicaSets });
        await talk.get(`${set.core}/pods`, { pick: pods });
        await talk.patch(path, 'strategic', image('2'), { quiet: true });
        await runUntil(talk, set, path, rolledOut(3));
        await talk.get(path, { pick: told });
        await talk.get(`${set.apps}/replicasets`, { pick: replicaSets });
        await talk.patch(path, 'strategic', image('1'), { quiet: true });
        await runUntil(talk, set, path, rolledOut(3));
        await talk.get(`${set.apps}/replicasets`, { pick: replicaSets });
        await talk.patch(`${path}/scale`, 'merge', { spec: { replicas: 1 } }, { quiet: true });
        await runUntil(talk, set, path, rolledOut(1));
        await talk.get(path, { pick: told });
        await talk.patch(path, 'merge', { spec: { paused: true } }, { quiet: true });
        await talk.patch(path, 'strategic', image('3'), { quiet: true });
        await talk.until(path, (body) => body.status.observedGeneration === body.metadata.generation);
        await talk.get(path, { pick: told });
      }),
    'a rollout keeps to its limits': (talk) =>
      onStage(talk, 'limits', 2, async (set) => {
        const path = `${set.apps}/deployments/web`;
        const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 2, strategy }), { quiet: true });
        await runUntil(talk, set, path, rolledOut(2));
        await talk.patch(path, 'strategic', { spec: { template: { metadata: { annotations: { again: 'yes' } } } } }, { quiet: true });
        // Nobody starts the new pod.
        await talk.until(path, ({ status }) => status.replicas === 3 && status.updatedReplicas === 1 && status.unavailableReplicas === 1);
        await talk.get(path, { pick: toldOnItsWay });
        await talk.get(`${set.apps}/replicasets`, { pick: replicaSets });
      }),
    'a StatefulSet goes in order': (talk) =>
      onStage(talk, 'stateful', 1, async (set) => {
        const path = `${set.apps}/statefulsets/db`;
        await talk.post(`${set.apps}/statefulsets`, workload('StatefulSet', 'db', { replicas: 2, serviceName: 'db' }), { quiet: true });
        const named = (list: Json) => list.items.map(({ metadata }: Json) => metadata.name);
        await talk.until(`${set.core}/pods`, (list) => list.items[0]?.spec.nodeName !== undefined);
        await talk.get(`${set.core}/pods`, { pick: named });
        await runUntil(talk, set, path, (body) => body.status.availableReplicas === 2);
        await talk.get(path, { pick: told });
        await talk.get(`${set.core}/pods`, { pick: pods });
        const update = {
          updateStrategy: { rollingUpdate: { partition: 1 } },
          template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } },
        };
        await talk.patch(path, 'strategic', { spec: update }, { quiet: true });
        await runUntil(talk, set, path, (body) => body.status.updatedReplicas === 1 && body.status.availableReplicas === 2);
        await talk.get(path, { pick: told });
        await talk.get(`${set.core}/pods`, { pick: pods });
        await talk.patch(path, 'merge', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } }, { quiet: true });
        await runUntil(
          talk,
          set,
          path,
          (body) => body.status.currentRevision === body.status.updateRevision && body.status.availableReplicas === 2,
        );
        await talk.get(path, { pick: told });
        await talk.patch(`${path}/scale`, 'merge', { spec: { replicas: 1 } }, { quiet: true });
        await runUntil(talk, set, path, (body) => body.status.replicas === 1 && body.status.availableReplicas === 1);
        // The status does not count a pod that is still going.
        await runUntil(talk, set, `${set.core}/pods`, (list) => list.items.length === 1);
        await talk.get(`${set.core}/pods`, { pick: named });
      }),
    'a DaemonSet is on every node that it tolerates': (talk) =>
      onStage(talk, 'daemon', 2, async (set) => {
        const path = `${set.apps}/daemonsets/agent`;
        const spec = { nodeSelector: { stage: 'daemon' }, containers: [{ name: 'app', image: 'app:1' }] };
        const template = { metadata: { labels: { app: 'agent' } }, spec };
        await talk.post(`${set.apps}/daemonsets`, workload('DaemonSet', 'agent', { template }), { quiet: true });
        await runUntil(talk, set, path, (body) => body.status.numberAvailable === 2);
        await talk.get(path, { pick: told });
        await talk.get(`${set.core}/pods`, { pick: (list) => list.items[0].spec.tolerations });
        await talk.patch(`/api/v1/nodes/${set.nodes[1]}`, 'merge', { spec: { unschedulable: true } }, { quiet: true });
        await talk.patch(
          path,
          'strategic',
          { spec: { template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } } },
          { quiet: true },
        );
        await runUntil(
          talk,
          set,
          path,
          (body) => body.status.observedGeneration === 2 && body.status.updatedNumberScheduled === 2 && body.status.numberAvailable === 2,
        );
        await talk.get(path, { pick: told });
        const taints = [{ key: 'gone', effect: 'NoExecute' }];
        await talk.patch(`/api/v1/nodes/${set.nodes[1]}`, 'strategic', { spec: { taints } }, { quiet: true });
        await runUntil(talk, set, path, (body) => body.status.desiredNumberScheduled === 1 && body.status.numberAvailable === 1);
        await talk.get(path, { pick: told });
      }),
    'what a budget counts': (talk) =>
      onStage(talk, 'budgets', 2, async (set) => {
        const budgets = set.core.replace('/api/v1', '/apis/policy/v1') + '/poddisruptionbudgets';
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 4 }), { quiet: true });
        await runUntil(talk, set, `${set.apps}/deployments/web`, rolledOut(4));
        const counted = (body: Json) => body.status.observedGeneration === 1;
        for (const [name, spec] of Object.entries({
          least: { minAvailable: 3 },
          most: { maxUnavailable: 1 },
          half: { minAvailable: '50%' },
          none: { maxUnavailable: 0 },
        })) {
          await talk.post(budgets, budget(name, 'web', spec), { quiet: true });
          await talk.eventually(`${budgets}/${name}`, counted, { pick: told });
          if (name !== 'least') await talk.delete(`${budgets}/${name}`, undefined, { quiet: true });
        }
        const list = await talk.get(`${set.core}/pods`, { quiet: true });
        const [first, second] = list.body.items.map(({ metadata }: Json) => metadata.name);
        await talk.post(`${set.core}/pods/${first}/eviction`, eviction(first), { quiet: true });
        await talk.eventually(`${budgets}/least`, (body) => body.status.currentHealthy === 3, {
          // The new pod may be there already.
          pick: ({ status: { expectedPods: _expected, disruptedPods: _names, ...status } }: Json) => status,
        });
        talk.normaliser.hide(/web-[a-z0-9]+-[a-z0-9]+/g, 'web-<hash>');
        await talk.post(`${set.core}/pods/${second}/eviction`, eviction(second));
        await runUntil(talk, set, `${budgets}/least`, ({ status }) => status.currentHealthy === 4 && status.expectedPods === 4);
        await talk.get(`${budgets}/least`, { pick: told });
        await talk.post(budgets, budget('nobody', 'nobody', { minAvailable: 1 }), { quiet: true });
        await talk.eventually(`${budgets}/nobody`, counted, { pick: told });
      }),
    'taints follow a node': (talk) =>
      onStage(talk, 'taints', 2, async (set) => {
        await talk.patch(`/api/v1/nodes/${set.nodes[1]}`, 'strategic', { spec: { unschedulable: true } }, { quiet: true });
        const path = `/api/v1/nodes/${set.nodes[0]}`;
        const spec = ({ spec: { podCIDR: _cidr, podCIDRs: _cidrs, ...rest } }: Json) => rest;
        const tainted = (key: string, effect: string) => (body: Json) =>
          body.spec.taints?.some((taint: Json) => taint.key === key && taint.effect === effect) === true;
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 1 }), { quiet: true });
        await runUntil(talk, set, `${set.apps}/deployments/web`, rolledOut(1));
        await talk.patch(`/api/v1/nodes/${set.nodes[1]}`, 'strategic', { spec: { unschedulable: null } }, { quiet: true });
        await talk.patch(path, 'strategic', { spec: { unschedulable: true } }, { quiet: true });
        await talk.eventually(path, tainted('node.kubernetes.io/unschedulable', 'NoSchedule'), { pick: spec });
        await talk.patch(path, 'strategic', { spec: { unschedulable: null } }, { quiet: true });
        await talk.eventually(path, (body) => !body.spec.taints, { pick: spec });
        await report(talk, set.nodes[0] ?? '', 'False');
        await talk.until(path, tainted('node.kubernetes.io/not-ready', 'NoSchedule'));
        await talk.eventually(path, tainted('node.kubernetes.io/not-ready', 'NoExecute'), {
          pick: (body) =>
            body.spec.taints
              .map(({ timeAdded: _added, ...taint }: Json) => taint)
              .toSorted((left: Json, right: Json) => (left.effect < right.effect ? -1 : 1)),
        });
        await report(talk, set.nodes[0] ?? '', 'True');
        await talk.eventually(path, (body) => !body.spec.taints, { pick: spec });
      }),
    'pods that nobody can place': (talk) =>
      onStage(talk, 'pending', 1, async (set) => {
        const large = { containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '9' } } }] };
        const elsewhere = { nodeSelector: { stage: 'elsewhere' }, containers: [{ name: 'app', image: 'app:1' }] };
        const why = (body: Json) => {
          const found = body.status.conditions?.find(({ type }: Json) => type === 'PodScheduled');
          // What follows says that preemption would not help.
          return found && { ...found, message: `${found.message.split('. ')[0].replace(/\.$/, '')}.` };
        };
        for (const [name, spec] of Object.entries({ large, elsewhere })) {
          await talk.post(`${set.core}/pods`, pod(name, {}, spec), { quiet: true });
          await talk.eventually(`${set.core}/pods/${name}`, (body) => why(body) !== undefined, { pick: why });
        }
      }),
    'owners and what they own': (talk) =>
      onStage(talk, 'owners', 0, async (set) => {
        const path = `${set.core}/configmaps`;
        const own = async (owner: string, dependent: string, more: object = {}) => {
          const { body } = await talk.post(path, configMap(owner), { quiet: true });
          const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: body.metadata.uid, ...more }];
          await talk.post(path, configMap(dependent, {}, { ownerReferences }), { quiet: true });
        };
        const gone = (body: Json) => body.code === 404;
        await own('a', 'a-owned');
        await talk.delete(`${path}/a`, undefined, { pick: (body) => body.status });
        await talk.eventually(`${path}/a-owned`, gone, { pick: (body) => body.reason });
        await own('b', 'b-owned', { blockOwnerDeletion: true });
        await talk.patch(`${path}/b-owned`, 'merge', { metadata: { finalizers: ['belay.dev/hold'] } }, { quiet: true });
        await talk.delete(`${path}/b`, { propagationPolicy: 'Foreground' }, { pick: (body) => body.metadata.finalizers });
        await talk.eventually(`${path}/b-owned`, (body) => body.metadata.deletionTimestamp !== undefined, {
          pick: (body) => body.metadata.finalizers,
        });
        await talk.get(`${path}/b`, { pick: (body) => body.metadata.finalizers });
        await talk.patch(`${path}/b-owned`, 'merge', { metadata: { finalizers: null } }, { quiet: true });
        await talk.eventually(`${path}/b`, gone, { pick: (body) => body.reason });
        await own('c', 'c-owned');
        await talk.delete(`${path}/c`, { propagationPolicy: 'Orphan' }, { pick: (body) => body.metadata.finalizers });
        await talk.eventually(`${path}/c`, gone, { pick: (body) => body.reason });
        await talk.get(`${path}/c-owned`, { pick: (body) => body.metadata.ownerReferences ?? 'nobody' });
      }),
    'a namespace goes after what is in it': (talk) =>
      onStage(talk, 'leaving', 0, async (set) => {
        const path = `${set.core}/configmaps`;
        await talk.post(path, configMap('held', {}, { finalizers: ['belay.dev/hold'] }), { quiet: true });
        await talk.post(path, configMap('free'), { quiet: true });
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 1 }), { quiet: true });
        await talk.until(`${set.core}/pods`, (list) => list.items.length === 1);
        await talk.delete(set.core, undefined, { quiet: true });
        await talk.until(path, ({ items }) => items.every(({ metadata }: Json) => metadata.name === 'held'));
        await talk.until(`${set.core}/pods`, (list) => list.items.length === 0);
        await talk.eventually(
          set.core,
          ({ status }) => remaining(status) === 'Some resources are remaining: configmaps. has 1 resource instances',
        );
        await talk.patch(`${path}/held`, 'merge', { metadata: { finalizers: null } }, { quiet: true });
        await talk.eventually(set.core, (body) => body.code === 404);
      }),
    'what is told about workloads': (talk) =>
      onStage(talk, 'told', 1, async (set) => {
        const path = `${set.apps}/deployments/web`;
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 1 }), { quiet: true });
        await runUntil(talk, set, path, rolledOut(1));
        await talk.patch(path, 'strategic', { spec: { template: { metadata: { annotations: { again: 'yes' } } } } }, { quiet: true });
        await runUntil(talk, set, path, rolledOut(1));
        await talk.patch(`${path}/scale`, 'merge', { spec: { replicas: 2 } }, { quiet: true });
        await runUntil(talk, set, path, rolledOut(2));
        await talk.post(`${set.apps}/statefulsets`, workload('StatefulSet', 'db', { replicas: 1, serviceName: 'db' }), { quiet: true });
        await talk.post(`${set.apps}/daemonsets`, workload('DaemonSet', 'agent'), { quiet: true });
        await runUntil(talk, set, `${set.apps}/statefulsets/db`, (body) => body.status.availableReplicas === 1);
        await runUntil(talk, set, `${set.apps}/daemonsets/agent`, (body) => body.status.numberAvailable === 1);
        await talk.patch(`${set.apps}/statefulsets/db`, 'merge', { spec: { replicas: 0 } }, { quiet: true });
        await talk.patch(
          `${set.apps}/daemonsets/agent`,
          'strategic',
          { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } },
          { quiet: true },
        );
        await talk.until(`${set.core}/events`, (list) => events(list).length === 12);
        await talk.get(`${set.core}/events`, { pick: events });
      }),
    'pods of a node that is gone': (talk) =>
      onStage(talk, 'lost', 2, async (set) => {
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 1 }), { quiet: true });
        await runUntil(talk, set, `${set.apps}/deployments/web`, rolledOut(1));
        const { body } = await talk.get(`${set.core}/pods`, { quiet: true });
        const { metadata, spec } = body.items[0];
        await talk.patch(
          `/api/v1/nodes/${spec.nodeName}`,
          'strategic',
          { spec: { taints: [{ key: 'out', effect: 'NoExecute' }] } },
          { quiet: true },
        );
        await talk.until(`${set.core}/pods/${metadata.name}`, (each) => each.metadata?.deletionTimestamp !== undefined);
        await talk.get(`${set.core}/pods/${metadata.name}`, {
          pick: ({ status }: Json) => status.conditions.find(({ type }: Json) => type === 'DisruptionTarget'),
        });
      }),
  },
};
