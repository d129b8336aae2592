/** Charts through Flux: the version in a HelmRelease, or in the OCIRepository that it names. Source: fluxcd.io/flux/components/helm/helmreleases (v2). */
import type { DeliveredChart } from '../../domain/facts.ts';
import type { KubeObject, KubernetesPort, ResourceRef } from '../ports.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../kubernetes/look-then-patch.ts';
import { type Condition, conditionOf, isTrue, nameOf } from '../kubernetes/shapes.ts';
import { failureOf } from '../translate-errors.ts';
import type { ProbeResult } from '../wait-until.ts';
import type { ChartValues, Delivered } from './contract.ts';
import { ownerOf } from './owner.ts';
import { covers, overlay } from './values.ts';

export const HELM_RELEASES = { apiVersion: 'helm.toolkit.fluxcd.io/v2', plural: 'helmreleases' };
export const OCI_REPOSITORIES = { apiVersion: 'source.toolkit.fluxcd.io/v1', plural: 'ocirepositories' };

export type HelmRelease = KubeObject<
  {
    suspend?: boolean;
    chart?: { spec?: { chart?: string; version?: string } };
    chartRef?: { kind?: string; name?: string; namespace?: string };
    values?: ChartValues;
  },
  {
    observedGeneration?: number;
    lastHandledReconcileAt?: string;
    history?: { chartVersion?: string; status?: string }[];
    conditions?: Condition[];
  }
>;

export type OciRepository = KubeObject<{ url?: string; suspend?: boolean; ref?: { tag?: string; semver?: string; digest?: string } }>;

const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';
const RESET_AT = 'reconcile.fluxcd.io/resetAt';

/** "karpenter" of the template, or of oci://public.ecr.aws/karpenter/karpenter. */
export function chartNameOf({ spec }: HelmRelease, repository: OciRepository | undefined): string {
  const named = repository?.spec?.url ?? spec?.chart?.spec?.chart ?? '';
  return named.slice(named.lastIndexOf('/') + 1);
}

/** Without a version Flux takes the newest. A digest outweighs the others, a range a tag. */
export function writtenVersion({ spec }: HelmRelease, repository: OciRepository | undefined): string {
  if (repository === undefined) return spec?.chart?.spec?.version ?? '*';
  const { digest, semver, tag } = repository.spec?.ref ?? {};
  return digest ?? semver ?? tag ?? 'latest';
}

const releaseRef = ({ namespace, name }: DeliveredChart): ResourceRef => ({ ...HELM_RELEASES, namespace, name });

function repositoryRef({ repository }: DeliveredChart): ResourceRef | undefined {
  return repository === undefined ? undefined : { ...OCI_REPOSITORIES, ...repository };
}

/** Writes the version where it stands, and `values` over those of the HelmRelease, and asks Flux to reconcile now, with the count of failures at zero. Throws InvalidRequest where it is suspended. */
export async function setFluxVersion(
  port: KubernetesPort,
  chart: DeliveredChart,
  { to, token, values = {} }: { to: string; token: string; values?: ChartValues },
): Promise<{ kind: 'set' } | { kind: 'owned'; owner: string }> {
  const release = await port.get<HelmRelease>(releaseRef(chart));
  const at = repositoryRef(chart);
  const repository = at === undefined ? undefined : await port.get<OciRepository>(at);
  if (release === undefined || (at !== undefined && repository === undefined)) throw gone(chart);
  for (const [kind, object] of [['HelmRelease', release] as const, ['OCIRepository', repository] as const]) {
    if (object?.spec?.suspend === true)
      throw failureOf('InvalidRequest', `setting ${chart.chart} to ${to}: ${kind} ${nameOf(object)} is suspended; resume it, then retry`);
  }
  const owner = ownerOf(repository ?? release);
  if (owner !== undefined && (writtenVersion(release, repository) !== to || !covers(release.spec?.values ?? {}, values)))
    return { kind: 'owned', owner };
  const asked = { [REQUESTED_AT]: token };
  if (at !== undefined) await lookThenPatch<OciRepository>(port, at, (found) => [...tagOf(found, to), ...annotate(found, asked)]);
  await lookThenPatch<HelmRelease>(port, releaseRef(chart), (found) => [
    ...(at === undefined ? versionOf(found, to) : []),
    ...valuesOf(found, values),
    ...annotate(found, { ...asked, [RESET_AT]: token }),
  ]);
  return { kind: 'set' };
}

function versionOf(release: HelmRelease, to: string): JsonOperation[] {
  return writtenVersion(release, undefined) === to ? [] : [{ op: 'add', path: '/spec/chart/spec/version', value: to }];
}

function valuesOf({ spec }: HelmRelease, values: ChartValues): JsonOperation[] {
  const now = spec?.values ?? {};
  return covers(now, values) ? [] : [{ op: 'add', path: '/spec/values', value: overlay(now, values) }];
}

function tagOf({ spec }: OciRepository, to: string): JsonOperation[] {
  const { digest, semver, ...rest } = spec?.ref ?? {};
  if (rest.tag === to && digest === undefined && semver === undefined) return [];
  return [{ op: 'add', path: '/spec/ref', value: { ...rest, tag: to } }];
}

function gone({ namespace, name }: DeliveredChart): Error {
  return failureOf('NotFound', `reading HelmRelease ${namespace}/${name}: it, or its OCIRepository, is not there any more; plan again`);
}

/**
 * Has Flux delivered the version? What has been rolled back is a failure at once: Flux itself would only try again. `token`: of our own change, which
 * Flux has to have handled before its conditions count, since they may be those of an earlier try.
 */
export async function fluxDelivery(
  port: KubernetesPort,
  chart: DeliveredChart,
  to: string,
  token: string | undefined,
): Promise<ProbeResult<Delivered>> {
  const at = repositoryRef(chart);
  const repository = at === undefined ? undefined : await port.get<OciRepository>(at);
  const release = await port.get<HelmRelease>(releaseRef(chart));
  if (release === undefined) throw gone(chart);
  const { metadata, status = {} } = release;
  const what = `HelmRelease ${chart.namespace}/${chart.name}`;
  const version = writtenVersion(release, repository);
  if (version !== to) {
    if (token !== undefined) return { done: true, value: { kind: 'put-back', version } };
    return { done: false, note: `${what} says ${version}` };
  }
  if (token !== undefined && status.lastHandledReconcileAt !== token) return { done: false, note: `${what}: Flux has not looked yet` };
  if (status.observedGeneration !== metadata.generation) return { done: false, note: `${what}: Flux has not seen the change yet` };
  const failure = failureIn(release, to);
  if (failure !== undefined) return { done: true, value: { kind: 'failed', why: `${what}: ${failure}` } };
  const [newest] = status.history ?? [];
  const delivered = plain(newest?.chartVersion) === to && newest?.status === 'deployed' && isTrue(release, 'Ready');
  if (delivered) return { done: true, value: { kind: 'converged' } };
  const now = newest === undefined ? 'nothing is' : `${newest.chartVersion} is ${newest.status}`;
  return { done: false, note: [`${what}: ${now}`, said(conditionOf(release, 'Ready'))].filter((part) => part !== undefined).join('; ') };
}

/** Charts from OCI may carry their digest: "1.6.8+4d1f0a5c9b2e". */
const plain = (version: string | undefined): string | undefined => version?.split('+')[0];

function failureIn(release: HelmRelease, to: string): string | undefined {
  const tried = (release.status?.history ?? []).some(({ chartVersion, status }) => plain(chartVersion) === to && status !== 'deployed');
  if (tried && isTrue(release, 'Remediated'))
    return `Flux has taken ${to} back (${said(conditionOf(release, 'Released')) ?? said(conditionOf(release, 'Remediated')) ?? 'Remediated'})`;
  return isTrue(release, 'Stalled') ? `Flux has given up (${said(conditionOf(release, 'Stalled')) ?? 'Stalled'})` : undefined;
}

function said(condition: Condition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const text = [condition.reason, condition.message].filter((part) => part !== undefined && part !== '').join(': ');
  return text === '' ? undefined : text.slice(0, 200);
}
