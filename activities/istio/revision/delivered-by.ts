/** Which object of Flux or Argo CD delivers a part of Istio: by the marks on what it has installed, else by its values. */
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import { APPLICATIONS, type Application, applicationRef, sourceIndex, sourcesOf } from '../../kubernetes/gitops/argo-cd.ts';
import { findDeliveredCharts } from '../../kubernetes/gitops/find-deliverer.ts';
import { hasOtherValues, type HelmRelease, releaseRef } from '../../kubernetes/gitops/flux.ts';
import { marksOn } from '../../kubernetes/gitops/owner-marks.ts';
import { at, hasValueFiles, type Values, valuesOfSection } from '../../kubernetes/gitops/chart-values.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import type { WebhookConfiguration } from '../../clients/kubernetes/objects.ts';
import { DEFAULT_VALIDATOR, findIstiods } from '../mesh/inventory.ts';
import { VALIDATING } from '../../kubernetes/objects/lists.ts';

export type Kind = DeliveredChart['kind'];

/** The object behind istiod of a revision. undefined: nothing of that kind delivers chart istiod for it. */
export async function revisionDeliverer(
  port: KubernetesPort,
  cluster: ClusterRef,
  kind: Kind,
  revision: string,
): Promise<DeliveredChart | undefined> {
  const charts = await deliveredOf(port, cluster, kind, 'istiod');
  const istiod = (await findIstiods(port, revision))[0];
  const marked = istiod === undefined ? undefined : charts.find((chart) => hasLeftMarks(chart, istiod));
  if (marked !== undefined) return marked;
  for (const chart of charts) if ((at(await valuesFor(port, chart), ['revision']) ?? 'default') === revision) return chart;
  return undefined;
}

/** The object behind istio-base: there is one CRD set and one default validator per cluster. */
export async function baseDeliverer(port: KubernetesPort, cluster: ClusterRef, kind: Kind): Promise<DeliveredChart | undefined> {
  const charts = await deliveredOf(port, cluster, kind, 'base');
  const validator = await port.get<WebhookConfiguration>({ ...VALIDATING, name: DEFAULT_VALIDATOR });
  return oneOf(charts, validator);
}

/** The object behind a node agent's DaemonSet. */
export async function agentDeliverer(
  port: KubernetesPort,
  cluster: ClusterRef,
  kind: Kind,
  chart: 'cni' | 'ztunnel',
  daemonSet: KubeObject | undefined,
): Promise<DeliveredChart | undefined> {
  return oneOf(await deliveredOf(port, cluster, kind, chart), daemonSet);
}

/** The values that an object itself gives its chart; those of ConfigMaps, Secrets and files are not among them: `others` says that there may be such. */
export async function allValuesFor(port: KubernetesPort, chart: DeliveredChart): Promise<{ values: Values; others: boolean }> {
  if (chart.kind === 'HelmRelease') {
    const release = await port.get<HelmRelease>(releaseRef(chart));
    return { values: release?.spec?.values ?? {}, others: release !== undefined && hasOtherValues(release) };
  }
  const application = await port.get<Application>(applicationRef(chart));
  const helm = application === undefined ? {} : (sourcesOf(application)[sourceIndex(application, chart)]?.helm ?? {});
  return { values: valuesOfSection(helm), others: hasValueFiles(helm) };
}

export const valuesFor = async (port: KubernetesPort, chart: DeliveredChart): Promise<Values> => (await allValuesFor(port, chart)).values;

/** Why the object may be neither copied nor removed as a whole; undefined: it delivers this chart and nothing else. */
export async function whyNotWhole(port: KubernetesPort, { kind, namespace, name }: DeliveredChart): Promise<string | undefined> {
  if (kind === 'HelmRelease') return undefined;
  const application = await port.get<Application>({ ...APPLICATIONS, namespace, name });
  const sources = application === undefined ? [] : sourcesOf(application);
  return sources.length > 1 ? `Application ${namespace}/${name} has ${sources.length} sources, which live and go together` : undefined;
}

async function deliveredOf(port: KubernetesPort, cluster: ClusterRef, kind: Kind, chart: string): Promise<DeliveredChart[]> {
  return (await findDeliveredCharts(port, cluster, [chart])).filter((each) => each.kind === kind);
}

function oneOf(charts: readonly DeliveredChart[], installed: KubeObject | undefined): DeliveredChart | undefined {
  const marked = installed === undefined ? undefined : charts.find((chart) => hasLeftMarks(chart, installed));
  return marked ?? (charts.length === 1 ? charts[0] : undefined);
}

/** Argo CD calls an Application outside of its own namespace "namespace_name". */
function hasLeftMarks({ kind, namespace, name }: DeliveredChart, { metadata }: KubeObject): boolean {
  return marksOn(metadata).some(({ deliverer }) => {
    if (deliverer?.kind !== kind) return false;
    if (kind === 'Application') return deliverer.name === name || deliverer.name === `${namespace}_${name}`;
    return deliverer.name === name && deliverer.namespace === namespace;
  });
}
