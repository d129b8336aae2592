/**
 * What Flux and Argo CD say of bringing to an object what Git says. Sources: fluxcd.io/flux/components/kustomize/kustomizations and
 * .../helm/helmreleases ("status"); argo-cd.readthedocs.io, pkg/apis/application/v1alpha1/types.go (SyncStatus, ResourceStatus, OperationState).
 */
import type { SyncState } from '../../../domain/run/code-changes/merged.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { type Condition, conditionOf, isTrue, nameOf } from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { APPLICATIONS, type Application, isRunning, sourcesOf } from './argo-cd.ts';
import { HELM_RELEASES, OCI_REPOSITORIES } from './flux.ts';
import { type Mark, marksOn } from './owner-marks.ts';
import { plain } from './wanted-version.ts';

const KUSTOMIZATIONS = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', plural: 'kustomizations' };
const MESSAGE_LIMIT = 200;

type Deliverer = NonNullable<Mark['deliverer']>;

/** By RBAC. */
const NEEDS: Record<Exclude<Deliverer['kind'], 'ResourceSet'>, string> = {
  Kustomization: 'get on kustomizations.kustomize.toolkit.fluxcd.io',
  HelmRelease: 'get on helmreleases.helm.toolkit.fluxcd.io',
  Application: 'list on applications.argoproj.io',
};

/** What a Kustomization, a HelmRelease or a source of Flux says of itself. */
type FluxObject = KubeObject<
  { suspend?: boolean },
  {
    observedGeneration?: number;
    conditions?: Condition[];
    lastAppliedRevision?: string;
    lastAttemptedRevision?: string;
    history?: { chartVersion?: string; status?: string }[];
    artifact?: { revision?: string };
  }
>;

/** Reads what delivers the objects of a cluster: each once, since many objects have the same. */
export class SyncStates {
  readonly #port: KubernetesPort;
  readonly #flux = new Map<string, Promise<FluxObject | undefined>>();
  #applications: Promise<Application[]> | undefined;

  constructor(port: KubernetesPort) {
    this.#port = port;
  }

  /** What the object says of itself, where it delivers something, and what is said by what delivers it. None: it bears no marks of either tool. */
  async of(ref: ResourceRef, object: KubeObject): Promise<SyncState[]> {
    const own = ownState(ref, object);
    const deliverer = marksOn(object.metadata).find((mark) => mark.deliverer !== undefined)?.deliverer;
    const states = own === undefined ? [] : [own];
    return deliverer === undefined ? states : [...states, await this.#stateOf(deliverer, object)];
  }

  async #stateOf(deliverer: Deliverer, object: KubeObject): Promise<SyncState> {
    const { kind, namespace = '', name } = deliverer;
    const by = `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
    // No role of Belay may read these.
    if (kind === 'ResourceSet') return { by, kind: 'unknown', why: 'is the Flux Operator’s, and Belay does not read its state' };
    try {
      if (kind === 'Application') return ofComparing(await this.#allApplications(), name, object);
      const found = await this.#fluxObject(kind, namespace, name);
      return found === undefined ? notThere(by) : ofFlux(kind, found);
    } catch (error) {
      return { by, kind: 'unknown', why: `could not be read, for which ${NEEDS[kind]} is needed: ${messageOf(error)}` };
    }
  }

  #fluxObject(kind: 'Kustomization' | 'HelmRelease', namespace: string, name: string): Promise<FluxObject | undefined> {
    const type = kind === 'HelmRelease' ? HELM_RELEASES : KUSTOMIZATIONS;
    const key = `${kind} ${namespace}/${name}`;
    const reading = this.#flux.get(key) ?? this.#port.get<FluxObject>({ ...type, namespace, name });
    this.#flux.set(key, reading);
    return reading;
  }

  async #allApplications(): Promise<Application[]> {
    this.#applications ??= this.#port.list<Application>(APPLICATIONS).then((all) => all ?? []);
    return await this.#applications;
  }
}

function ownState({ apiVersion, plural }: ResourceRef, object: KubeObject): SyncState | undefined {
  if (plural === APPLICATIONS.plural && apiVersion === APPLICATIONS.apiVersion) return ofApplication(object as Application);
  if (plural === HELM_RELEASES.plural) return ofFlux('HelmRelease', object as FluxObject);
  if (plural === OCI_REPOSITORIES.plural) return ofFlux('OCIRepository', object as FluxObject);
  return undefined;
}

const notThere = (by: string): SyncState => ({ by, kind: 'unknown', why: 'is not there any more' });

/** An Application outside of Argo CD's own namespace leaves "namespace_name". */
function ofComparing(all: readonly Application[], name: string, object: KubeObject): SyncState {
  const named = all.filter(({ metadata }) => metadata.name === name || `${metadata.namespace ?? ''}_${metadata.name}` === name);
  const [found, other] = named;
  if (found === undefined) return notThere(`Application ${name}`);
  if (other !== undefined) return { by: `Application ${name}`, kind: 'unknown', why: 'is there in several namespaces' };
  return { ...ofApplication(found, object), compares: true };
}

/** `object`: one of those that it delivers, of which it may say more than of all together. */
function ofApplication(application: Application, object?: KubeObject): SyncState {
  const { sync, operationState, conditions = [], resources = [] } = application.status ?? {};
  const by = `Application ${nameOf(application)}`;
  const entry = resources.find(
    ({ group = '', kind, namespace, name }) =>
      object !== undefined &&
      kind === object.kind &&
      group === groupOf(object) &&
      name === object.metadata.name &&
      // Of what has no namespace it is left out, or empty.
      (namespace ?? '') === (object.metadata.namespace ?? ''),
  );
  const at = atRevision(sync?.revisions ?? (sync?.revision === undefined ? [] : [sync.revision]));
  const failed = operationState?.phase === 'Failed' || operationState?.phase === 'Error';
  const last = failed ? `; its last sync ${operationState.phase}${colon(operationState.message)}` : '';
  switch (entry?.status ?? sync?.status) {
    case 'Synced': {
      if (isRunning(application)) return { by, kind: 'behind', why: 'is being synced' };
      const late = lateSource(application);
      return late === undefined
        ? { by, kind: 'synced', why: `is Synced${at}` }
        : { by, kind: 'behind', why: `is Synced${at}, not yet at ${late}` };
    }
    case 'OutOfSync':
      return { by, kind: 'behind', why: `is OutOfSync${at}: Git and the cluster differ${last}` };
    default: {
      const why = conditions.find(({ type }) => type?.endsWith('Error') === true)?.message;
      return { by, kind: 'unknown', why: `does not know whether Git and the cluster differ${colon(why)}${last}` };
    }
  }
}

/** Of a chart at an exact version: that is what was compared only after Argo CD has looked again. */
function lateSource(application: Application): string | undefined {
  const { sync } = application.status ?? {};
  const revisions = application.spec?.sources === undefined ? [sync?.revision] : (sync?.revisions ?? []);
  return sourcesOf(application)
    .filter(({ chart, targetRevision = '' }, index) => {
      const revision = revisions[index];
      return (
        chart !== undefined &&
        /^v?\d+\.\d+\.\d+/.test(targetRevision) &&
        revision !== undefined &&
        plain(revision) !== plain(targetRevision)
      );
    })
    .map(({ targetRevision = '' }) => targetRevision)[0];
}

function ofFlux(kind: 'Kustomization' | 'HelmRelease' | 'OCIRepository', object: FluxObject): SyncState {
  const { metadata, spec, status = {} } = object;
  const by = `${kind} ${nameOf(object)}`;
  const behind = (why: string): SyncState => ({ by, kind: 'behind', why });
  if (spec?.suspend === true) return behind('is suspended');
  if (isTrue(object, 'Stalled')) return behind(`has given up${said(conditionOf(object, 'Stalled'))}`);
  const ready = conditionOf(object, 'Ready');
  if (ready === undefined) return { by, kind: 'unknown', why: 'does not say whether it is Ready' };
  if (ready.status !== 'True') return behind(`is not Ready${said(ready)}`);
  if (status.observedGeneration !== undefined && status.observedGeneration !== metadata.generation)
    return behind('has not been looked at since it was changed');
  const [newest] = status.history ?? [];
  const applied = status.lastAppliedRevision ?? (newest?.status === 'deployed' ? newest.chartVersion : undefined);
  const attempted = status.lastAttemptedRevision;
  // Of charts the digest may be missing in one of the two.
  const bare = kind === 'HelmRelease' ? plain : String;
  if (applied !== undefined && attempted !== undefined && bare(applied) !== bare(attempted))
    return behind(`has applied ${short(applied)}, and not yet ${short(attempted)}`);
  const revision = applied ?? status.artifact?.revision;
  return { by, kind: 'synced', why: revision === undefined ? 'is Ready' : `is Ready at ${short(revision)}` };
}

/** "apps/v1" → "apps"; "v1" → "". */
const groupOf = ({ apiVersion = '' }: KubeObject): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

const said = ({ reason, message }: Condition = { type: '', status: '' }): string =>
  colon([reason, message].filter((part) => part !== undefined && part !== '').join(': '));

const colon = (text = ''): string => (text === '' ? '' : `: ${text.slice(0, MESSAGE_LIMIT)}`);
const short = (revision: string): string => revision.slice(0, 80);
const atRevision = (revisions: readonly string[]): string => (revisions.length === 0 ? '' : ` at ${short(revisions.join(', '))}`);
