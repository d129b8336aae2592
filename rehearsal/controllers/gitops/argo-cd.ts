/** Argo CD's application controller: compares, syncs when asked or automated, heals. Source: argo-cd.readthedocs.io, pkg/apis/application/v1alpha1. */
import { parse } from 'yaml';
import { kubeTime } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { Controller, World } from '../../world/world.ts';
import { type Chart, differs, install, isRolledOut, resolved, uninstall } from './install.ts';

const REFRESH = 'argocd.argoproj.io/refresh';

export function createArgoCd(): Controller {
  /** What was synced last, by namespace and name: of those that are there at first what they say. */
  const synced = new Map<string, Chart>();
  let begun = false;
  return {
    name: 'argo-cd',
    everyMs: 10_000,
    tick(world) {
      for (const application of world.store.list('applications')) {
        if (typeof application.spec?.source?.chart !== 'string') continue;
        if (!begun) synced.set(keyOf(application), wantedOf(application));
        reconcile(world, application, synced);
      }
      begun = true;
    },
  };
}

const keyOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`;

/** The chart as the Application says it, or in the version that an operation asks for. */
function wantedOf(application: KubeObject, revision?: string): Chart {
  const { name } = application.metadata;
  const { chart, targetRevision, helm = {} } = application.spec.source;
  const values = { ...(helm.valuesObject ?? parse(helm.values ?? '')) };
  for (const parameter of helm.parameters ?? []) values[parameter.name] = parameter.value;
  return { name: chart, version: resolved(revision ?? targetRevision), values, mark: (object) => markOf(name, object) };
}

/** Tracking by annotation, the default since Argo CD 3. */
function markOf(name: string, { apiVersion, kind, metadata }: KubeObject): void {
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const tracked = `${name}:${group}/${kind}:${metadata.namespace ?? ''}/${metadata.name}`;
  metadata.annotations = { ...metadata.annotations, 'argocd.argoproj.io/tracking-id': tracked };
}

const isSame = (a: Chart, b: Chart | undefined): boolean =>
  a.version === b?.version && JSON.stringify(a.values) === JSON.stringify(b.values);

function reconcile(world: World, application: KubeObject, synced: Map<string, Chart>): void {
  const { name, namespace, deletionTimestamp } = application.metadata;
  const key = keyOf(application);
  if (deletionTimestamp !== undefined) return cascade(world, application);
  const { syncPolicy } = application.spec;
  const wanted = wantedOf(application);
  const automated = syncPolicy?.automated !== undefined && syncPolicy.automated.enabled !== false;
  const delivered = synced.get(key);
  const running = application.status?.operationState?.phase === 'Running';
  const asked = application['operation'] ?? (automated && !running && !isSame(wanted, delivered) ? byItself(wanted.version) : undefined);
  if (asked !== undefined && !running) begin(world, application, asked);
  else if (running) end(world, application, synced);
  else if (automated && syncPolicy.automated.selfHeal === true && delivered !== undefined && differs(world, delivered)) {
    install(world, delivered);
    world.journal.tell(`Argo CD heals ${key}`);
  }
  const now = synced.get(key);
  world.store.update('applications', name, namespace, (copy) => {
    delete copy.metadata.annotations?.[REFRESH];
    copy.status = {
      ...copy.status,
      sync: { status: isSame(wanted, now) ? 'Synced' : 'OutOfSync', ...(now === undefined ? {} : { revision: now.version }) },
      health: { status: now === undefined ? 'Missing' : isRolledOut(world, wanted) ? 'Healthy' : 'Progressing' },
    };
  });
}

/** Deleted with its finalizer: what it has installed goes first. */
function cascade(world: World, application: KubeObject): void {
  const { name, namespace } = application.metadata;
  uninstall(world, wantedOf(application));
  world.journal.tell(`Argo CD deletes what ${keyOf(application)} has installed`);
  world.store.update('applications', name, namespace, (copy) => {
    copy.metadata.finalizers = copy.metadata.finalizers?.filter(
      (each: string) => !each.startsWith('resources-finalizer.argocd.argoproj.io'),
    );
  });
}

const byItself = (revision: string) => ({ initiatedBy: { automated: true }, sync: { revision } });

/** The operation moves from the object into its status. */
function begin(world: World, application: KubeObject, operation: { sync?: { revision?: string } }): void {
  const { name, namespace } = application.metadata;
  const chart = wantedOf(application, operation.sync?.revision);
  world.journal.tell(`Argo CD syncs ${namespace}/${name} to ${chart.version}`);
  const broken = world.faults.takes('karpenter:upgrade-fails') !== undefined;
  const refused = broken ? 'Deployment.apps "karpenter" is invalid' : install(world, chart);
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
        syncResult: { revision: chart.version },
        ...(fails ? { finishedAt: startedAt } : {}),
      },
    };
  });
}

function end(world: World, application: KubeObject, synced: Map<string, Chart>): void {
  const { name, namespace } = application.metadata;
  const chart = wantedOf(application, application.status.operationState.syncResult.revision);
  if (!isRolledOut(world, chart)) return;
  synced.set(keyOf(application), chart);
  world.store.update('applications', name, namespace, (copy) => {
    const message = 'successfully synced (all tasks run)';
    copy.status.operationState = { ...copy.status.operationState, phase: 'Succeeded', message, finishedAt: kubeTime(world.clock.nowMs()) };
  });
}
