/** A new Istio revision through Flux or Argo CD: a copy of the object that delivers the old one, made by Belay or asked for where Git keeps that. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import { type Application, applicationRef, argoDelivery, gone, setArgoVersion, syncOf } from '../../kubernetes/gitops/argo-cd.ts';
import type { Delivered, ValueEdit } from '../../contract/delivery.ts';
import {
  fluxDelivery,
  refuseSuspended,
  releaseOf,
  releaseRef,
  repositoryRef,
  REQUESTED_AT,
  RESET_AT,
  setFluxVersion,
} from '../../kubernetes/gitops/flux.ts';
import { ownerOf } from '../../kubernetes/gitops/owner-marks.ts';
import { at, changeLines } from '../../kubernetes/gitops/chart-values.ts';
import type { KubernetesDeps, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { failureOf, failureType } from '../../runtime/translate-errors.ts';
import { withRole } from './gitops-role.ts';
import { type ProbeResult, waitUntil } from '../../runtime/wait-until.ts';
import { nameOf, type WebhookConfiguration } from '../../clients/kubernetes/objects.ts';
import { validatedBy } from './istio-base.ts';
import type { IstioActivities } from '../../contract/istio.ts';
import { agentDeliverer, allValuesFor, baseDeliverer, type Kind, revisionDeliverer, valuesFor, whyNotWhole } from './delivered-by.ts';
import { lastingAgentHub, PINS, whyNotCopied } from './helm-values.ts';
import { DEFAULT_VALIDATOR, findIstiods, istiodVersion } from '../mesh/inventory.ts';
import { type Body, copyOfApplication, copyOfRelease, type CopyOptions, manifestOf, type RevisionCopy } from './revision-copy.ts';
import { isAtLeast, minorOf } from '../../kubernetes/objects/kubelet-versions.ts';
import { VALIDATING } from '../../kubernetes/objects/lists.ts';
import type { IstioDelivery } from '../../contract/istio-objects.ts';
import { defined } from '../../../domain/core/defined.ts';

type Activities = Pick<
  IstioActivities,
  'examineIstioDelivery' | 'createDeliveredRevision' | 'awaitDeliveredRevision' | 'findDeliveredAgent'
>;

const CHARTS = { 'istio-cni': 'cni', ztunnel: 'ztunnel' } as const;

export function createGitOpsRevisionActivities(deps: KubernetesDeps): Activities {
  return {
    async examineIstioDelivery({ cluster, kind, canary, version }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const { fromRevision: from, toRevision: to } = canary;
      const old = await revisionDeliverer(port, cluster, kind, from);
      if (old === undefined) return {};
      const base = await examineBase(port, cluster, { kind, fallback: from, toMinor: canary.toMinor });
      const cannot = (await whyNotWhole(port, old)) ?? (await valuesProblem(port, old, from));
      if (cannot !== undefined) return { ...base, cannot };
      const copy = await copyOf(port, old, { from, to, version: version ?? canary.toVersion ?? canary.toMinor });
      const owner = await keeperOf(port, old);
      const { text, withheld } = manifestOf(copy.bodies);
      const fresh = { chart: copy.chart, changes: copy.changes, manifest: text, withheld, ...defined({ owner }) };
      const seen = await deliveredYet(port, cluster, { kind, revision: to, minor: canary.toMinor });
      // What Flux or Argo CD have given up is not there: it is made, or asked for, again.
      const done = seen.done && seen.value.kind === 'converged';
      return { ...base, old, fresh, ...(done ? { done } : {}) };
    },
    async createDeliveredRevision({ cluster, old, canary, version, token }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const { fromRevision: from, toRevision: to } = canary;
      const cannot = (await whyNotWhole(port, old)) ?? (await valuesProblem(port, old, from));
      if (cannot !== undefined) throw failureOf('InvalidRequest', `making the object of Istio revision ${to}: ${cannot}`);
      const { chart, bodies } = await copyOf(port, old, { from, to, version });
      for (const { plural, body } of bodies) {
        const ref = { apiVersion: body.apiVersion, plural, namespace: body.metadata.namespace, name: body.metadata.name };
        const begun = withRequest(body, token);
        await createOnce(port, ref, begun);
      }
      await refuseForeign(port, chart, to);
      // Where the object was there already it may say another patch, or wait for a sync: as with any other version.
      const change = { chart, to: version, token, skipCrds: false };
      const set = await (chart.kind === 'HelmRelease' ? setFluxVersion(port, change) : setArgoVersion(port, change));
      return { chart, ...(set.kind === 'owned' ? { owner: set.owner } : {}) };
    },
    async awaitDeliveredRevision({ cluster, timing, kind, canary }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const { toRevision: revision, toMinor: minor } = canary;
      const doing = `waiting for Istio revision ${revision} from Git`;
      const result = await waitUntil<Delivered>(
        { timing, timeoutMs: timing.askTimeoutMs, doing },
        async () => await deliveredYet(port, cluster, { kind, revision, minor }),
      );
      return result.kind === 'done' ? result.value : { kind: 'timed-out', note: result.lastNote ?? 'nothing was seen' };
    },
    async findDeliveredAgent({ cluster, kind, agent }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const { namespace, daemonSet: name } = agent;
      const installed = await port.get({ apiVersion: 'apps/v1', plural: 'daemonsets', namespace, name });
      const chart = await agentDeliverer(port, cluster, kind, CHARTS[agent.kind], installed);
      if (chart === undefined) return {};
      const unpinned: ValueEdit[] = PINS.map((path) => ({ path: [...path] }));
      const { values, others } = await allValuesFor(port, chart);
      // What is not read may name a mirror, which a value in the object itself would override.
      return { chart, values: others ? unpinned : [...unpinned, ...lastingAgentHub(values, agent)] };
    },
  };
}

/** istio-base, and the one value of it that has to follow the cluster: where the default validator points now. */
async function examineBase(
  port: KubernetesPort,
  cluster: ClusterRef,
  { kind, fallback, toMinor }: { kind: Kind; fallback: string; toMinor: string },
): Promise<Pick<IstioDelivery, 'base'>> {
  const chart = await baseDeliverer(port, cluster, kind);
  if (chart === undefined) return {};
  const validator = await port.get<WebhookConfiguration>({ ...VALIDATING, name: DEFAULT_VALIDATOR });
  const revision = await validatedBy(port, validator, fallback);
  const values = await valuesFor(port, chart);
  const follows = revision === undefined || (at(values, ['defaultRevision']) ?? 'default') === revision;
  const edits: ValueEdit[] = follows ? [] : [{ path: ['defaultRevision'], value: revision }];
  // CRDs are shared by all revisions and never go back.
  const ahead = isAtLeast(chart.version, toMinor) && minorOf(chart.version) !== toMinor;
  return { base: { chart, values: edits, changes: changeLines(values, edits), ...(ahead ? { ahead } : {}) } };
}

async function copyOf(port: KubernetesPort, old: DeliveredChart, options: CopyOptions): Promise<RevisionCopy> {
  if (old.kind === 'Application') {
    const application = await port.get<Application>(applicationRef(old));
    if (application === undefined) throw gone(old);
    return copyOfApplication(application, options);
  }
  const { release, repository } = await releaseOf(port, old);
  refuseSuspended('copying the object of the old revision', release, repository);
  return copyOfRelease(release, repository, options);
}

const valuesProblem = async (port: KubernetesPort, old: DeliveredChart, from: string): Promise<string | undefined> =>
  whyNotCopied(`${old.kind} ${old.namespace}/${old.name}`, from, await valuesFor(port, old));

/** Who keeps the old object as in Git will not know the new one: it is Git's as well. */
async function keeperOf(port: KubernetesPort, old: DeliveredChart): Promise<string | undefined> {
  const object = await port.get(old.kind === 'HelmRelease' ? releaseRef(old) : applicationRef(old));
  const source = repositoryRef(old);
  const repository = source === undefined ? undefined : await port.get(source);
  return (object === undefined ? undefined : ownerOf(object)) ?? (repository === undefined ? undefined : ownerOf(repository));
}

/** The new object begins to work with its creation: Flux by itself, Argo CD by the sync that is in it. */
function withRequest(body: Body, token: string): object {
  if (body.kind === 'Application') return { ...body, operation: syncOf(body, token) };
  const asked = body.kind === 'HelmRelease' ? { [REQUESTED_AT]: token, [RESET_AT]: token } : { [REQUESTED_AT]: token };
  return { ...body, metadata: { ...body.metadata, annotations: { ...body.metadata.annotations, ...asked } } };
}

/** What is there already is left as it is: an answer may have been lost. */
async function createOnce(port: KubernetesPort, { name, ...place }: ResourceRef, body: object): Promise<void> {
  if ((await port.get({ ...place, name })) !== undefined) return;
  try {
    await port.create(place, body);
  } catch (error) {
    if (failureType(error) === 'AccessDenied') throw withRole(error);
    if (failureType(error) !== 'Conflict') throw error;
  }
}

/** An object of the name that delivers something else is somebody's. */
async function refuseForeign(port: KubernetesPort, chart: DeliveredChart, revision: string): Promise<void> {
  const { kind, namespace, name } = chart;
  const delivers = at(await valuesFor(port, chart), ['revision']);
  if (delivers === revision) return;
  throw failureOf(
    'InvalidRequest',
    `making ${kind} ${namespace}/${name} for Istio revision ${revision}: there is one already, and it delivers revision ${typeof delivers === 'string' ? delivers : 'default'}; rename or remove it, then retry`,
  );
}

/** People may call the new object as they like: it is found by what it delivers. */
async function deliveredYet(
  port: KubernetesPort,
  cluster: ClusterRef,
  { kind, revision, minor }: { kind: Kind; revision: string; minor: string },
): Promise<ProbeResult<Delivered>> {
  const chart = await revisionDeliverer(port, cluster, kind, revision);
  if (chart !== undefined) return await (kind === 'HelmRelease' ? fluxDelivery : argoDelivery)(port, chart, minor, undefined);
  const istiod = (await findIstiods(port, revision))[0];
  const version = istiod === undefined ? undefined : istiodVersion(istiod);
  if (istiod !== undefined && version !== undefined && minorOf(version) === minor)
    return { done: true, value: { kind: 'converged', version } };
  return {
    done: false,
    note: istiod === undefined ? `nothing delivers revision ${revision} yet` : `${nameOf(istiod)} is there, of another version`,
  };
}
