/** Charts whose version Belay has written into objects of Flux or Argo CD that nobody keeps as in Git. */
import type { DeliveredChart } from '../../facts/facts.ts';
import type { IacField, KeyedNote } from './note.ts';

const HELM_RELEASES = { apiVersion: 'helm.toolkit.fluxcd.io/v2', plural: 'helmreleases' };
const OCI_REPOSITORIES = { apiVersion: 'source.toolkit.fluxcd.io/v1', plural: 'ocirepositories' };
const APPLICATIONS = { apiVersion: 'argoproj.io/v1alpha1', plural: 'applications' };

/** `to`: a version, or a minor of which the run has delivered the newest patch. */
export function chartNote(chart: DeliveredChart, to: string): KeyedNote {
  const { kind, namespace, name, repository } = chart;
  const object = repository === undefined ? `${kind} ${namespace}/${name}` : `OCIRepository ${repository.namespace}/${repository.name}`;
  return {
    key: `chart ${kind} ${namespace}/${name} ${chart.chart}`,
    object,
    says: `${chart.chart} ${chart.version}`,
    lines: linesOf(chart, to),
    ...(isMinor(to) ? {} : { fields: [fieldOf(chart, to)] }),
  };
}

/** "1.28": which patch of it was delivered is in the object alone. */
export const isMinor = (version: string): boolean => /^\d+\.\d+$/.test(version);

export function versionLine(to: string): string {
  return isMinor(to) ? `"${to}.x" # write the patch that the object in the cluster says` : `"${to}"`;
}

function linesOf({ kind, chart, repository }: DeliveredChart, to: string): string {
  if (repository !== undefined) return `spec:\n  ref:\n    tag: ${versionLine(to)}`;
  if (kind === 'HelmRelease') return `spec:\n  chart:\n    spec:\n      chart: ${chart}\n      version: ${versionLine(to)}`;
  return `spec:\n  source: # or the one of sources that has this chart\n    chart: ${chart}\n    targetRevision: ${versionLine(to)}`;
}

function fieldOf({ kind, namespace, name, chart, repository }: DeliveredChart, to: string): IacField {
  if (repository !== undefined) return { object: { ...OCI_REPOSITORIES, ...repository }, path: ['spec', 'ref', 'tag'], value: to };
  const object = { ...(kind === 'HelmRelease' ? HELM_RELEASES : APPLICATIONS), namespace, name };
  if (kind === 'HelmRelease') return { object, path: ['spec', 'chart', 'spec', 'version'], value: to };
  return { object, path: ['spec', 'source', 'targetRevision'], value: to, chart };
}
