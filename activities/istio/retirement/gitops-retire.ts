/** The end of an Istio revision that Flux or Argo CD delivers: its object is removed so that what it has installed goes with it. */
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import { type Application, applicationRef, sourceIndex, sourcesOf } from '../../kubernetes/gitops/argo-cd.ts';
import { HELM_RELEASES, type HelmRelease, refuseSuspended, releaseRef, repositoryRef } from '../../kubernetes/gitops/flux.ts';
import { ownerOf } from '../../kubernetes/gitops/owner-marks.ts';
import type { ClusterPorts, KubeObject, KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf, failureType } from '../../runtime/translate-errors.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { type JsonOperation, lookThenPatch } from '../../kubernetes/objects/patch-object.ts';
import type { IstioActivities } from '../../contract/istio.ts';
import { revisionDeliverer, whyNotWhole } from '../revision/delivered-by.ts';
import { findIstiods } from '../mesh/inventory.ts';
import { retirementFindings } from './retirement.ts';
import { readRetirementFacts } from './retirement-facts.ts';
import { withRole } from '../revision/gitops-role.ts';
import { type Body, manifestOf } from '../revision/revision-copy.ts';
import { defined } from '../../../domain/core/defined.ts';

/** Without one of these Argo CD forgets what it has installed and leaves it running (argo-cd.readthedocs.io, "App Deletion"). */
const CASCADES = 'resources-finalizer.argocd.argoproj.io';

export function createGitOpsRetireActivities(
  deps: KubernetesDeps,
): Pick<IstioActivities, 'findDeliveredRevision' | 'removeDeliveredRevision'> {
  return {
    async findDeliveredRevision({ cluster, kind, revision }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const chart = await revisionDeliverer(port, cluster, kind, revision);
      if (chart === undefined) return {};
      const object = await port.get<KubeObject<Record<string, unknown>>>(refOf(chart));
      const owner = object === undefined ? undefined : ownerOf(object);
      const cannot = await whyNotWhole(port, chart);
      const manifest = object === undefined ? undefined : manifestOf([{ body: bodyOf(chart, object) }]).text;
      return {
        chart,
        ...defined({ owner, cannot, manifest }),
      };
    },
    async removeDeliveredRevision({ cluster, chart, revision, successor }) {
      const ports = await deps.clusterPorts(cluster);
      const port = ports.kubernetes;
      const doing = `retiring Istio revision ${revision}`;
      const object = await port.get<KubeObject>(refOf(chart));
      // Gone, or on its way: an attempt before this one, or somebody else. Its source may be left.
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return await removeSource(port, chart);
      const cannot = await whyNotWhole(port, chart);
      if (cannot !== undefined) throw failureOf('InvalidRequest', `${doing}: ${cannot}`);
      const owner = ownerOf(object);
      if (owner !== undefined)
        throw failureOf('InvalidRequest', `${doing}: ${chart.kind} ${chart.name} is now kept by ${owner}; remove it there, then retry`);
      await refuseWhileUsed(ports, revision, successor);
      try {
        await (chart.kind === 'HelmRelease' ? removeRelease(port, chart, doing) : removeApplication(port, chart, object.metadata.uid));
      } catch (error) {
        throw failureType(error) === 'AccessDenied' ? withRole(error) : error;
      }
    },
  };
}

const refOf = (chart: DeliveredChart) => (chart.kind === 'HelmRelease' ? releaseRef(chart) : applicationRef(chart));

/** What has to be created again to go back. */
function bodyOf(
  { kind, namespace, name }: DeliveredChart,
  { apiVersion = '', metadata, spec = {} }: KubeObject<Record<string, unknown>>,
): Body {
  const { labels } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, ...defined({ labels }) }, spec };
}

/** People decided a while ago: what has changed since then counts. */
async function refuseWhileUsed(ports: ClusterPorts, revision: string, successor: string): Promise<void> {
  if ((await findIstiods(ports.kubernetes, revision)).length === 0) return;
  const facts = await heartbeating(`looking at what uses revision ${revision}`, () => readRetirementFacts(ports, revision));
  const bad = retirementFindings(facts, revision, successor, false).find(
    ({ severity, status }) => severity === 'required' && status !== 'pass',
  );
  if (bad !== undefined) {
    throw failureOf('InvalidRequest', `retiring Istio revision ${revision}: ${bad.message} (${bad.resources.join(', ')})`);
  }
}

/** Flux uninstalls before the object goes. Helm's record stays, with chart and values, for helm rollback. */
async function removeRelease(port: KubernetesPort, chart: DeliveredChart, doing: string): Promise<void> {
  const kept = await lookThenPatch<HelmRelease>(port, releaseRef(chart), (release) => {
    refuseSuspended(doing, release);
    const { uninstall } = release.spec ?? {};
    return uninstall?.keepHistory === true ? [] : [{ op: 'add', path: '/spec/uninstall', value: { ...uninstall, keepHistory: true } }];
  });
  if (kept.kind === 'there') await port.delete(releaseRef(chart), { uid: kept.object.metadata.uid });
  await removeSource(port, chart);
}

/** An OCIRepository that nobody else uses or keeps. */
async function removeSource(port: KubernetesPort, chart: DeliveredChart): Promise<void> {
  const ref = repositoryRef(chart);
  const source = ref === undefined ? undefined : await port.get(ref);
  if (ref === undefined || source === undefined || ownerOf(source) !== undefined) return;
  const releases = (await port.list<HelmRelease>(HELM_RELEASES)) ?? [];
  const used = releases.some(({ metadata, spec }) => {
    if (metadata.name === chart.name && metadata.namespace === chart.namespace) return false;
    return spec?.chartRef?.name === ref.name && (spec.chartRef.namespace ?? metadata.namespace) === ref.namespace;
  });
  if (!used) await port.delete(ref, { uid: source.metadata.uid });
}

async function removeApplication(port: KubernetesPort, chart: DeliveredChart, uid: string): Promise<void> {
  const marked = await lookThenPatch<Application>(port, applicationRef(chart), (application): JsonOperation[] => {
    // Throws where it delivers something else by now.
    sourceIndex(application, chart);
    if (sourcesOf(application).length > 1)
      throw failureOf('InvalidRequest', `removing Application ${chart.name}: it has several sources by now`);
    const { finalizers } = application.metadata;
    if (finalizers?.some((each) => each.startsWith(CASCADES)) === true) return [];
    return [{ op: 'add', path: '/metadata/finalizers', value: [...(finalizers ?? []), CASCADES] }];
  });
  if (marked.kind === 'there') await port.delete(applicationRef(chart), { uid });
}
