/** Charts through Flux: the version in a HelmRelease, or in the OCIRepository that it names. Source: fluxcd.io/flux/components/helm/helmreleases (v2). */
import type { DeliveredChart } from '../../../domain/facts/facts.ts';
import type { KubeObject, KubernetesPort, ResourceRef } from '../../contract/ports.ts';
import { annotate, type JsonOperation, lookThenPatch } from '../objects/patch-object.ts';
import { type Condition, conditionOf, isTrue, nameOf } from '../../clients/kubernetes/objects.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { ProbeResult } from '../../runtime/wait-until.ts';
import type { Delivered, ValueEdit, Wanted } from '../../contract/delivery.ts';
import type { FluxDestination } from './destination.ts';
import { ownerOf } from './owner-marks.ts';
import { changes, edited, type Values } from './chart-values.ts';
import { fits, isRange, plain, says, writtenFor } from './wanted-version.ts';

export const HELM_RELEASES = { apiVersion: 'helm.toolkit.fluxcd.io/v2', plural: 'helmreleases' };
export const OCI_REPOSITORIES = { apiVersion: 'source.toolkit.fluxcd.io/v1', plural: 'ocirepositories' };

export type HelmRelease = KubeObject<
  FluxDestination & {
    suspend?: boolean;
    releaseName?: string;
    chart?: { spec?: { chart?: string; version?: string; valuesFiles?: string[] } };
    chartRef?: { kind?: string; name?: string; namespace?: string };
    values?: Values;
    valuesFrom?: unknown[];
    uninstall?: { keepHistory?: boolean; [field: string]: unknown };
  },
  {
    observedGeneration?: number;
    lastHandledReconcileAt?: string;
    history?: { chartVersion?: string; status?: string }[];
    conditions?: Condition[];
  }
>;

/** Values come from ConfigMaps, Secrets or the chart's own files too: which, nobody here reads. */
export const hasOtherValues = ({ spec }: Pick<HelmRelease, 'spec'>): boolean =>
  [spec?.valuesFrom, spec?.chart?.spec?.valuesFiles].some((sources = []) => sources.length > 0);

export type OciRepository = KubeObject<{ url?: string; suspend?: boolean; ref?: { tag?: string; semver?: string; digest?: string } }>;

/**
 * Throws InvalidRequest where releases take charts from OCIRepositories that cannot be listed (`repositories` undefined: their API is not served). Flux
 * before 2.6 serves them as v1beta2 alone, and what it delivers would pass as nothing. Source: Flux's release notes of 2.6.
 */
export function refuseOldFlux(releases: readonly HelmRelease[], repositories: readonly OciRepository[] | undefined): void {
  const blind = repositories === undefined ? releases.find(({ spec }) => spec?.chartRef?.kind === 'OCIRepository') : undefined;
  if (blind === undefined) return;
  const { namespace = '', name } = blind.metadata;
  throw failureOf(
    'InvalidRequest',
    `listing OCIRepositories: HelmRelease ${namespace}/${name} takes its chart from one, and the cluster does not serve ${OCI_REPOSITORIES.apiVersion}; upgrade Flux to 2.6 or newer`,
  );
}

/** What Flux before 2.3 serves instead of v2. Source: fluxcd.io/blog/2024/05/flux-v2.3.0. */
const BEFORE_V2 = ['helm.toolkit.fluxcd.io/v2beta2', 'helm.toolkit.fluxcd.io/v2beta1'];

/** HelmReleases of a cluster that does not serve v2: where Flux is too old for it, throws InvalidRequest for the first one that delivers here. */
export async function refuseOldReleases(port: KubernetesPort, isOwn: (release: HelmRelease) => boolean): Promise<void> {
  for (const apiVersion of BEFORE_V2) {
    const found = (await port.list<HelmRelease>({ ...HELM_RELEASES, apiVersion }))?.find(isOwn);
    if (found === undefined) continue;
    throw failureOf(
      'InvalidRequest',
      `listing HelmReleases: the cluster has ${nameOf(found)}, and does not serve ${HELM_RELEASES.apiVersion}; upgrade Flux to 2.3 or newer`,
    );
  }
}

export const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';
export const RESET_AT = 'reconcile.fluxcd.io/resetAt';

type Place = Pick<DeliveredChart, 'namespace' | 'name'>;

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

export const releaseRef = ({ namespace, name }: Place): ResourceRef => ({ ...HELM_RELEASES, namespace, name });

export function repositoryRef({ repository }: Pick<DeliveredChart, 'repository'>): ResourceRef | undefined {
  return repository === undefined ? undefined : { ...OCI_REPOSITORIES, ...repository };
}

/** With the OCIRepository that it had when it was found. Throws NotFound where one of the two is gone. */
export async function releaseOf(
  port: KubernetesPort,
  chart: DeliveredChart,
): Promise<{ release: HelmRelease; repository: OciRepository | undefined }> {
  const release = await port.get<HelmRelease>(releaseRef(chart));
  const at = repositoryRef(chart);
  const repository = at === undefined ? undefined : await port.get<OciRepository>(at);
  if (release !== undefined && (at === undefined || repository !== undefined)) return { release, repository };
  throw gone(chart);
}

function gone({ namespace, name }: Place): Error {
  return failureOf('NotFound', `reading HelmRelease ${namespace}/${name}: it, or its OCIRepository, is not there any more; plan again`);
}

/**
 * Writes the version and the values where they stand, and asks Flux to reconcile now, with the count of failures at zero. Throws InvalidRequest
 * where it is suspended.
 */
export async function setFluxVersion(
  port: KubernetesPort,
  { chart, to, token, values = [] }: { chart: DeliveredChart; to: Wanted; token: string; values?: readonly ValueEdit[] },
): Promise<{ kind: 'set' } | { kind: 'owned'; owner: string }> {
  const at = repositoryRef(chart);
  const { release, repository } = await releaseOf(port, chart);
  refuseSuspended(`setting ${chart.chart} to ${to}`, release, repository);
  const versionOwner = ownerOf(repository ?? release);
  if (versionOwner !== undefined && !says(writtenVersion(release, repository), to)) return { kind: 'owned', owner: versionOwner };
  const valuesOwner = ownerOf(release);
  if (valuesOwner !== undefined && changes(release.spec?.values ?? {}, values)) return { kind: 'owned', owner: valuesOwner };
  const asked = { [REQUESTED_AT]: token };
  if (at !== undefined)
    await lookThenPatch<OciRepository>(port, at, (found) => [
      // What its owner has merged is left as it is there.
      ...(versionOwner === undefined ? tagOf(found, to) : []),
      ...annotate(found, asked),
    ]);
  await lookThenPatch<HelmRelease>(port, releaseRef(chart), (found) => [
    ...(at === undefined ? versionOf(found, to) : []),
    ...valuesOf(found, values),
    ...annotate(found, { ...asked, [RESET_AT]: token }),
  ]);
  return { kind: 'set' };
}

/** A suspended object does nothing, and a suspended HelmRelease that is deleted leaves behind what it has installed. */
export function refuseSuspended(doing: string, release: HelmRelease, repository?: OciRepository): void {
  for (const [kind, object] of [['HelmRelease', release] as const, ['OCIRepository', repository] as const]) {
    if (object?.spec?.suspend === true)
      throw failureOf('InvalidRequest', `${doing}: ${kind} ${nameOf(object)} is suspended; resume it, then retry`);
  }
}

function versionOf(release: HelmRelease, to: Wanted): JsonOperation[] {
  return says(writtenVersion(release, undefined), to) ? [] : [{ op: 'add', path: '/spec/chart/spec/version', value: writtenFor(to) }];
}

function valuesOf({ spec }: HelmRelease, edits: readonly ValueEdit[]): JsonOperation[] {
  const before = spec?.values ?? {};
  return changes(before, edits) ? [{ op: 'add', path: '/spec/values', value: edited(before, edits) }] : [];
}

/** Of a minor a range, as `semver`. */
export function refFor(ref: NonNullable<NonNullable<OciRepository['spec']>['ref']>, to: Wanted): object {
  const { digest: _digest, semver: _semver, tag: _tag, ...rest } = ref;
  const written = writtenFor(to);
  return written === to ? { ...rest, tag: to } : { ...rest, semver: written };
}

function tagOf({ spec }: OciRepository, to: Wanted): JsonOperation[] {
  const { digest, semver, tag } = spec?.ref ?? {};
  const exact = digest === undefined && semver === undefined && tag !== undefined && fits(tag, to);
  if (exact || (digest === undefined && semver === writtenFor(to))) return [];
  return [{ op: 'add', path: '/spec/ref', value: refFor(spec?.ref ?? {}, to) }];
}

/**
 * Has Flux delivered the version? What has been rolled back is a failure at once: Flux itself would only try again. `token`: of our own change, which
 * Flux has to have handled before its conditions count, since they may be those of an earlier try.
 */
export async function fluxDelivery(
  port: KubernetesPort,
  chart: DeliveredChart,
  to: Wanted,
  token: string | undefined,
): Promise<ProbeResult<Delivered>> {
  const at = repositoryRef(chart);
  // Whoever merges the version may also let the HelmRelease name it itself.
  const repository = at === undefined ? undefined : await port.get<OciRepository>(at);
  const release = await port.get<HelmRelease>(releaseRef(chart));
  if (release === undefined) throw gone(chart);
  const { metadata, status = {} } = release;
  const what = `HelmRelease ${chart.namespace}/${chart.name}`;
  const version = writtenVersion(release, repository);
  const left = token === undefined && isRange(version);
  if (!left && !says(version, to)) {
    if (token !== undefined) return { done: true, value: { kind: 'put-back', version } };
    return { done: false, note: `${what} says ${version}` };
  }
  if (token !== undefined && status.lastHandledReconcileAt !== token) return { done: false, note: `${what}: Flux has not looked yet` };
  if (status.observedGeneration !== metadata.generation) return { done: false, note: `${what}: Flux has not seen the change yet` };
  const failure = failureIn(release, to);
  if (failure !== undefined) return { done: true, value: { kind: 'failed', why: `${what}: ${failure}` } };
  const [newest] = status.history ?? [];
  const delivered = fits(newest?.chartVersion, to) && newest?.status === 'deployed' && isTrue(release, 'Ready');
  if (delivered) return { done: true, value: { kind: 'converged', version: plain(newest.chartVersion ?? to) } };
  const now = newest === undefined ? 'nothing is' : `${newest.chartVersion} is ${newest.status}`;
  const by = left ? ` says ${version}` : '';
  return {
    done: false,
    note: [`${what}${by}: ${now}`, said(conditionOf(release, 'Ready'))].filter((part) => part !== undefined).join('; '),
  };
}

function failureIn(release: HelmRelease, to: Wanted): string | undefined {
  const tried = (release.status?.history ?? []).some(({ chartVersion, status }) => fits(chartVersion, to) && status !== 'deployed');
  if (tried && isTrue(release, 'Remediated'))
    return `Flux has taken ${to} back (${said(conditionOf(release, 'Released')) ?? said(conditionOf(release, 'Remediated')) ?? 'Remediated'})`;
  return isTrue(release, 'Stalled') ? `Flux has given up (${said(conditionOf(release, 'Stalled')) ?? 'Stalled'})` : undefined;
}

function said(condition: Condition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const text = [condition.reason, condition.message].filter((part) => part !== undefined && part !== '').join(': ');
  return text === '' ? undefined : text.slice(0, 200);
}
