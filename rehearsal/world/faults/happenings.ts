/** Faults that change the world when they begin, and put it back when their time is over. */
import { randomUUID } from 'node:crypto';
import { minorOf } from '../../aws/eks/catalogue.ts';
import { isReady } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import { setReady } from '../../controllers/nodes.ts';
import type { Controller, World } from '../world.ts';
import { BLOCKING_WEBHOOK } from './apis/admission.ts';
import type { FaultOrder } from './fault.ts';
import { beginForeignUpdate } from './foreign-update.ts';
import { applyStale } from './stale-apply.ts';
import { attachElsewhere, detach } from './volumes.ts';

/** Changes the world; returns what undoes it. */
type Happening = (world: World, order: FaultOrder) => (() => void) | undefined;

/** A pod of a Deployment on a node of Karpenter, the first by name: what blocks it blocks its node. */
function somePod(world: World): KubeObject | undefined {
  const nodes = new Set(
    world.store
      .list('nodes')
      .filter((node) => node.metadata.labels?.['karpenter.sh/nodepool'] !== undefined)
      .map(({ metadata }) => metadata.name),
  );
  return world.store
    .list('pods')
    .filter((pod) => nodes.has(String(pod.spec?.nodeName)) && pod.metadata.labels?.['app'] !== undefined && isReady(pod))
    .toSorted((a, b) => (`${a.metadata.namespace}/${a.metadata.name}` < `${b.metadata.namespace}/${b.metadata.name}` ? -1 : 1))[0];
}

function budget(world: World, name: string, spec: Record<string, unknown>, pod: KubeObject): () => void {
  const { namespace, labels } = pod.metadata;
  const selector = { matchLabels: { app: labels?.['app'] ?? '' } };
  world.store.create('poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { ...spec, selector },
  });
  return () => {
    if (world.store.get('poddisruptionbudgets', name, namespace) !== undefined) world.store.delete('poddisruptionbudgets', name, namespace);
  };
}

/** Others' own budgets of the pod are taken away meanwhile: two budgets would be another fault. */
function budgetsAside(world: World, pod: KubeObject): () => void {
  const { namespace, labels } = pod.metadata;
  const own = world.store
    .list('poddisruptionbudgets', namespace === undefined ? {} : { namespace })
    .filter(({ spec }) => spec?.selector?.matchLabels?.app === labels?.['app']);
  for (const { metadata } of own) world.store.delete('poddisruptionbudgets', metadata.name, namespace);
  return () => {
    for (const { apiVersion, kind, metadata, spec } of own) {
      const { name, labels: ownLabels } = metadata;
      const copy = { name, ...(namespace === undefined ? {} : { namespace }), ...(ownLabels === undefined ? {} : { labels: ownLabels }) };
      world.store.create('poddisruptionbudgets', { apiVersion, kind, metadata: copy, spec });
    }
  };
}

const HAPPENINGS: Partial<Record<FaultOrder['name'], Happening>> = {
  'eks:in-use'(world) {
    // controllers/control-plane.ts ends it after a minute.
    world.eks.updates.push({
      id: randomUUID(),
      resource: { kind: 'cluster' },
      type: 'LoggingUpdate',
      status: 'InProgress',
      params: [{ type: 'ClusterLogging', value: '{"clusterLogging":[{"types":["audit"],"enabled":true}]}' }],
      createdAtMs: world.clock.nowMs(),
      errors: [],
    });
    world.journal.tell('somebody turns on audit logs: EKS updates the cluster');
    return undefined;
  },
  'eks:rebuilt'(world) {
    // Destroyed and created anew under its name: GitOps brings the same NodePools, and nothing that was written on the old ones.
    world.eks.cluster.createdAtMs = world.clock.nowMs();
    world.eks.updates.length = 0;
    for (const pool of world.store.list('nodepools')) {
      world.store.update('nodepools', pool.metadata.name, undefined, (copy) => {
        delete copy.metadata.annotations;
        if (copy.spec?.disruption !== undefined) copy.spec.disruption.budgets = [{ nodes: '10%' }];
      });
    }
    world.journal.tell('somebody destroys the cluster and creates another one under its name');
    return undefined;
  },
  'eks:foreign-update'(world) {
    const version = `1.${minorOf(world.eks.cluster.version) + 1}`;
    beginForeignUpdate(world, 'VersionUpdate', version);
    world.journal.tell(`somebody else starts the update of the control plane to ${version}`);
    return undefined;
  },
  'terraform:stale-apply': applyStale,
  'eks:degraded'(world) {
    const message = 'The Auto Scaling group of the node group was not found.';
    const groups = world.eks.nodeGroups.map((group) => ({ group, status: group.status, health: group.health }));
    for (const { group } of groups)
      Object.assign(group, { status: 'DEGRADED', health: [{ code: 'AutoScalingGroupNotFound', message, resourceIds: [] }] });
    return () => {
      for (const { group, status, health } of groups) if (group.status === 'DEGRADED') Object.assign(group, { status, health });
    };
  },
  'eks:no-add-on-versions'(world) {
    const { addOns, addOnCatalogue, cluster } = world.eks;
    const name = addOns[0]?.name ?? '';
    const target = minorOf(cluster.version) + 1;
    const offered = addOnCatalogue[name] ?? [];
    addOnCatalogue[name] = offered.map((one) => ({ ...one, minors: one.minors.filter((minor) => minorOf(minor) < target) }));
    return undefined;
  },
  'kubernetes:gitops-reverts'(world) {
    for (const pool of world.store.list('nodepools')) {
      const budgets: { nodes?: string; reasons?: string[] }[] = pool.spec?.disruption?.budgets ?? [];
      const declared = budgets.filter(({ nodes, reasons }) => nodes !== '0' || reasons?.includes('Drifted') !== true);
      if (declared.length === budgets.length) continue;
      world.store.update('nodepools', pool.metadata.name, undefined, (copy) => void (copy.spec.disruption.budgets = declared));
      world.journal.tell(`GitOps puts the budgets of NodePool ${pool.metadata.name} back`);
      return undefined;
    }
    return undefined;
  },
  'node:not-ready'(world) {
    const pod = somePod(world);
    const name = String(pod?.spec?.nodeName ?? '');
    setReady(world, name, false);
    return () => void setReady(world, name, true);
  },
  'pdb:blocks'(world) {
    const pod = somePod(world);
    if (pod === undefined) return undefined;
    const back = budgetsAside(world, pod);
    const remove = budget(world, 'nothing-may-go', { maxUnavailable: 0 }, pod);
    return () => (remove(), back());
  },
  'pdb:two'(world) {
    const pod = somePod(world);
    if (pod === undefined) return undefined;
    const removals = ['first-of-two', 'second-of-two'].map((name) => budget(world, name, { maxUnavailable: 1 }, pod));
    return () => removals.forEach((remove) => remove());
  },
  'pod:do-not-disrupt'(world) {
    const pod = somePod(world);
    if (pod === undefined) return undefined;
    const { name, namespace } = pod.metadata;
    const mark = (on: boolean): void => {
      if (world.store.get('pods', name, namespace) === undefined) return;
      world.store.update('pods', name, namespace, (copy) => {
        const { 'karpenter.sh/do-not-disrupt': _mark, ...others } = copy.metadata.annotations ?? {};
        copy.metadata.annotations = on ? { ...others, 'karpenter.sh/do-not-disrupt': 'true' } : others;
      });
    };
    mark(true);
    return () => mark(false);
  },
  'volume:multi-attach': (world) => {
    const pod = somePod(world);
    if (pod === undefined) return undefined;
    attachElsewhere(world, pod);
    return () => detach(world);
  },
  'webhook:down'(world) {
    const namespace = somePod(world)?.metadata.namespace;
    if (namespace === undefined) return undefined;
    world.store.create('validatingwebhookconfigurations', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: BLOCKING_WEBHOOK },
      webhooks: [
        {
          name: 'policy.example.com',
          failurePolicy: 'Fail',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          clientConfig: { service: { namespace, name: 'policy-that-is-gone', path: '/validate' } },
        },
      ],
    });
    return () => world.store.delete('validatingwebhookconfigurations', BLOCKING_WEBHOOK);
  },
};

/** Starts at once what a fault's beginning starts (the request that marks the moment sees it), and ends it in world time. */
export function createHappenings(world: World): Controller {
  const undo: { untilMs: number; back: () => void }[] = [];
  world.faults.onBegin((order) => {
    const back = HAPPENINGS[order.name]?.(world, order);
    if (back !== undefined) undo.push({ untilMs: world.clock.nowMs() + (order.lastsMs ?? 0), back });
  });
  return {
    name: 'faults',
    everyMs: 1_000,
    tick({ clock }) {
      for (const due of undo.filter(({ untilMs }) => untilMs <= clock.nowMs())) {
        undo.splice(undo.indexOf(due), 1);
        due.back();
      }
    },
  };
}
