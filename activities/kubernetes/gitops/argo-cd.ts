/** Charts through an Application of Argo CD. Source: argo-cd.readthedocs.io, and pkg/apis/application/v1alpha1/types.go for fields that it leaves out. */
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import type { KubeObject, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../objects/patch-object.ts';
import { sameJson } from '../../runtime/same-json.ts';
import { someOf } from '../../../domain/core/text.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { ProbeResult } from '../../runtime/wait-until.ts';
import type { Delivered, ValueEdit, Wanted } from '../../contract/delivery.ts';
import type { ArgoDestination } from './destination.ts';
import { ownerOf } from './owner-marks.ts';
import { changes, editedSection, type HelmSection, valuesOfSection } from './chart-values.ts';
import { fits, isRange, plain, says, writtenFor } from './wanted-version.ts';

export const APPLICATIONS = { apiVersion: 'argoproj.io/v1alpha1', plural: 'applications' };

export interface Source {
  chart?: string;
  targetRevision?: string;
  helm?: HelmSection & { skipCrds?: boolean; releaseName?: string };
}

interface Operation {
  info?: { name: string; value: string }[];
  sync?: { revision?: string; revisions?: string[]; prune?: boolean; syncOptions?: string[]; syncStrategy?: object };
}

export type Application = KubeObject<
  ArgoDestination & {
    source?: Source;
    sources?: Source[];
    syncPolicy?: { syncOptions?: string[]; [field: string]: unknown };
  },
  {
    sync?: { status?: string; revision?: string; revisions?: string[] };
    health?: { status?: string; message?: string };
    operationState?: { phase?: string; message?: string; operation?: Operation };
    conditions?: { type?: string; message?: string }[];
    /** Each object that it delivers, with what comparing it has shown. */
    resources?: { group?: string; kind?: string; namespace?: string; name?: string; status?: string; requiresPruning?: boolean }[];
  }
> & { operation?: Operation };

const REFRESH = 'argocd.argoproj.io/refresh';
/** Which sync is ours stands in its `info`: it is kept in status.operationState. */
const TOKEN = 'belay.dev/token';

export function sourcesOf({ spec }: Pick<Application, 'spec'>): Source[] {
  return spec?.sources ?? (spec?.source === undefined ? [] : [spec.source]);
}

export const applicationRef = ({ namespace, name }: Pick<DeliveredChart, 'namespace' | 'name'>): ResourceRef => ({
  ...APPLICATIONS,
  namespace,
  name,
});

/** The place of the chart's source: in an Application with several of them they are counted. */
export function sourceIndex(application: Application, { chart }: DeliveredChart): number {
  const index = sourcesOf(application).findIndex((source) => source.chart === chart || source.chart?.endsWith(`/${chart}`) === true);
  if (index >= 0) return index;
  throw failureOf('NotFound', `reading Application ${application.metadata.name}: it delivers no chart ${chart} any more; plan again`);
}

export const isRunning = ({ operation, status }: Application): boolean =>
  operation !== undefined || status?.operationState?.phase === 'Running';

const isOurs = (operation: Operation | undefined, token: string): boolean =>
  operation?.info?.some(({ name, value }) => name === TOKEN && value === token) === true;

/**
 * Writes the version into the Application, asks for a refresh, and starts one sync where none runs. Throws Unavailable, to be tried again, while another
 * sync runs: Argo CD has one at a time. Without automated sync nothing else would start one; with it, ours is the first.
 */
export async function setArgoVersion(
  port: KubernetesPort,
  input: { chart: DeliveredChart; to: Wanted; token: string; skipCrds: boolean; values?: readonly ValueEdit[] },
): Promise<{ kind: 'set' } | { kind: 'owned'; owner: string }> {
  const { chart, token } = input;
  const found = await port.get<Application>(applicationRef(chart));
  if (found === undefined) throw gone(chart);
  const owner = ownerOf(found);
  if (owner !== undefined && differs(found, input)) return { kind: 'owned', owner };
  const written = await lookThenPatch<Application>(port, applicationRef(chart), (application) => {
    // What its owner has merged is left as it is there.
    const wanted = owner === undefined ? changesOf(application, input) : [];
    return wanted.length === 0 ? [] : [...wanted, ...annotate(application, { [REFRESH]: 'normal' })];
  });
  if (written.kind === 'gone') throw gone(chart);
  const synced = await lookThenPatch<Application>(port, applicationRef(chart), (application) => {
    if (isOurs(application.operation, token) || isOurs(application.status?.operationState?.operation, token)) return [];
    return isRunning(application) ? [] : [{ op: 'add', path: '/operation', value: syncOf(application, token) }];
  });
  const object = synced.kind === 'gone' ? undefined : synced.object;
  const begun = object !== undefined && (isOurs(object.operation, token) || isOurs(object.status?.operationState?.operation, token));
  if (begun) return { kind: 'set' };
  throw failureOf('Unavailable', `starting the sync of Application ${chart.namespace}/${chart.name}: another one is running`);
}

type Change = Pick<Parameters<typeof setArgoVersion>[1], 'chart' | 'to' | 'skipCrds' | 'values'>;

/** Would its parent put something back? That CRDs are skipped is no more than a precaution. */
function differs(application: Application, { chart, to, values = [] }: Change): boolean {
  const { targetRevision = '*', helm = {} } = sourcesOf(application)[sourceIndex(application, chart)] ?? {};
  return !says(targetRevision, to) || changes(valuesOfSection(helm), values);
}

function changesOf(application: Application, { chart, to, skipCrds, values = [] }: Change): JsonOperation[] {
  const index = sourceIndex(application, chart);
  const { targetRevision = '*', helm } = sourcesOf(application)[index] ?? {};
  const path = application.spec?.sources === undefined ? '/spec/source' : `/spec/sources/${index}`;
  const version: JsonOperation[] = says(targetRevision, to) ? [] : [{ op: 'add', path: `${path}/targetRevision`, value: writtenFor(to) }];
  const valued = changes(valuesOfSection(helm ?? {}), values) ? editedSection(helm ?? {}, values) : helm;
  const wanted = skipCrds ? { ...valued, skipCrds: true } : valued;
  return wanted === undefined || sameJson(wanted, helm) ? version : [...version, { op: 'add', path: `${path}/helm`, value: wanted }];
}

/**
 * To what the Application now says; nothing is pruned. A sync heeds the options of its operation alone (controller/sync.go, SyncAppState), so those of
 * the Application go along, as Argo CD's own do. A source that names no revision has none here either: for one in Git "*" would be its newest tag.
 */
export function syncOf(application: Pick<Application, 'spec'>, token: string): Operation & { initiatedBy: { username: string } } {
  const revisions = sourcesOf(application).map(({ chart, targetRevision = chart === undefined ? '' : '*' }) => targetRevision);
  const syncOptions = application.spec?.syncPolicy?.syncOptions ?? [];
  const sync = application.spec?.sources === undefined ? { revision: revisions[0] } : { revisions };
  return {
    initiatedBy: { username: 'belay' },
    info: [{ name: TOKEN, value: token }],
    sync: { ...sync, prune: false, ...(syncOptions.length === 0 ? {} : { syncOptions }), syncStrategy: { hook: {} } },
  };
}

export function gone({ namespace, name }: Pick<DeliveredChart, 'namespace' | 'name'>): Error {
  return failureOf('NotFound', `reading Application ${namespace}/${name}: it is not there any more; plan again`);
}

/** Synced to the version and Healthy, with a sync that succeeded. `token`: of our own sync: only its failure is ours; absent: somebody else's is waited for. */
export async function argoDelivery(
  port: KubernetesPort,
  chart: DeliveredChart,
  to: Wanted,
  token: string | undefined,
): Promise<ProbeResult<Delivered>> {
  const application = await port.get<Application>(applicationRef(chart));
  if (application === undefined) throw gone(chart);
  const what = `Application ${chart.namespace}/${chart.name}`;
  const index = sourceIndex(application, chart);
  const version = sourcesOf(application)[index]?.targetRevision ?? '*';
  const left = token === undefined && isRange(version);
  if (!left && !says(version, to)) {
    if (token !== undefined) return { done: true, value: { kind: 'put-back', version } };
    return { done: false, note: `${what} says ${version}` };
  }
  const { sync, health, operationState } = application.status ?? {};
  const failed = operationState?.phase === 'Failed' || operationState?.phase === 'Error';
  if (failed && token !== undefined && isOurs(operationState.operation, token))
    return {
      done: true,
      value: { kind: 'failed', why: `${what}: the sync ${operationState.phase}: ${(operationState.message ?? '').slice(0, 200)}` },
    };
  const revision = application.spec?.sources === undefined ? sync?.revision : sync?.revisions?.[index];
  const done = sync?.status === 'Synced' && fits(revision, to) && health?.status === 'Healthy' && !isRunning(application);
  // Whoever's sync it was: automated ones may follow ours.
  if (done && operationState?.phase === 'Succeeded') return { done: true, value: { kind: 'converged', version: plain(revision ?? to) } };
  const now = `${what}${left ? ` says ${version}` : ''}: ${sync?.status ?? 'Unknown'} at ${revision ?? 'no revision'}, ${health?.status ?? 'health unknown'}`;
  return { done: false, note: [now, ...hindrances(application)].join('; ') };
}

/** The message of controller/sync.go. The operation stays Running, and goes on once the window lets it. */
const BY_WINDOW = /blocked by sync window/;

/** What keeps an Application from being Synced, as far as it says so; with what mends it. */
function hindrances({ status: { operationState: { phase, message = '' } = {}, resources = [] } = {} }: Application): string[] {
  const unpruned = resources
    .filter(({ requiresPruning }) => requiresPruning === true)
    .map(({ kind = '', namespace = '', name = '' }) => `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`);
  const says = phase === undefined || phase === 'Succeeded' || message === '' ? [] : [`its sync is ${phase}: ${message.slice(0, 200)}`];
  return [
    ...says,
    ...(BY_WINDOW.test(message) ? ['wait for the sync window of its AppProject, or set manualSync there, then retry'] : []),
    ...(unpruned.length === 0 ? [] : [`${someOf(unpruned)} no longer in the chart: sync it with prune, then retry`]),
  ];
}
