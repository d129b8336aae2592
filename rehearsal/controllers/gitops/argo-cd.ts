/** Argo CD's application controller: compares, syncs when asked or automated, heals. Source: argo-cd.readthedocs.io, pkg/apis/application/v1alpha1. */
import { kubeTime } from '../../kubernetes/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { Controller, World } from '../../world/world.ts';
import { differs, install, isRolledOut } from './install.ts';

const REFRESH = 'argocd.argoproj.io/refresh';

export function createArgoCd(): Controller {
  /** Revision that was synced last, by namespace and name: at first what the Application says. */
  const synced = new Map<string, string>();
  return {
    name: 'argo-cd',
    everyMs: 10_000,
    tick(world) {
      for (const application of world.store.list('applications')) {
        if (typeof application.spec?.source?.chart === 'string') reconcile(world, application, synced);
      }
    },
  };
}

function reconcile(world: World, application: KubeObject, synced: Map<string, string>): void {
  const { name, namespace } = application.metadata;
  const key = `${namespace}/${name}`;
  const { source, syncPolicy } = application.spec;
  const { chart, targetRevision: wanted }: { chart: string; targetRevision: string } = source;
  const automated = syncPolicy?.automated !== undefined && syncPolicy.automated.enabled !== false;
  if (!synced.has(key)) synced.set(key, wanted);
  const running = application.status?.operationState?.phase === 'Running';
  const asked = application['operation'] ?? (automated && !running && synced.get(key) !== wanted ? byItself(wanted) : undefined);
  if (asked !== undefined && !running) begin(world, application, asked);
  else if (running) end(world, application, synced);
  else if (automated && syncPolicy.automated.selfHeal === true && differs(world, chart, synced.get(key) ?? wanted)) {
    install(world, chart, synced.get(key) ?? wanted, source.helm?.valuesObject);
    world.journal.tell(`Argo CD heals ${key}`);
  }
  const isSynced = synced.get(key) === wanted;
  world.store.update('applications', name, namespace, (copy) => {
    delete copy.metadata.annotations?.[REFRESH];
    copy.status = {
      ...copy.status,
      sync: { status: isSynced ? 'Synced' : 'OutOfSync', revision: synced.get(key) },
      health: { status: isRolledOut(world, chart) ? 'Healthy' : 'Progressing' },
    };
  });
}

const byItself = (revision: string) => ({ initiatedBy: { automated: true }, sync: { revision } });

/** The operation moves from the object into its status. */
function begin(world: World, { metadata: { name, namespace }, spec }: KubeObject, operation: { sync?: { revision?: string } }): void {
  const revision = operation.sync?.revision ?? spec.source.targetRevision;
  world.journal.tell(`Argo CD syncs ${namespace}/${name} to ${revision}`);
  const broken = world.faults.takes('karpenter:upgrade-fails') !== undefined;
  const refused = broken
    ? 'Deployment.apps "karpenter" is invalid'
    : install(world, spec.source.chart, revision, spec.source.helm?.valuesObject);
  const fails = refused !== undefined;
  const startedAt = kubeTime(world.clock.nowMs());
  world.store.update('applications', name, namespace, (copy) => {
    delete copy['operation'];
    copy.status = {
      ...copy.status,
      operationState: {
        operation,
        phase: fails ? 'Failed' : 'Running',
        message: fails ? `one or more objects failed to apply, reason: ${refused}` : 'waiting for healthy state',
        startedAt,
        syncResult: { revision },
        ...(fails ? { finishedAt: startedAt } : {}),
      },
    };
  });
}

function end(world: World, { metadata: { name, namespace }, spec, status }: KubeObject, synced: Map<string, string>): void {
  if (!isRolledOut(world, spec.source.chart)) return;
  synced.set(`${namespace}/${name}`, status.operationState.syncResult.revision);
  world.store.update('applications', name, namespace, (copy) => {
    const message = 'successfully synced (all tasks run)';
    copy.status.operationState = { ...copy.status.operationState, phase: 'Succeeded', message, finishedAt: kubeTime(world.clock.nowMs()) };
  });
}
