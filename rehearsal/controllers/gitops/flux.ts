/** Flux' helm-controller: HelmReleases to the version and values that they, or their OCIRepository, say. Source: fluxcd.io/flux/components/helm/helmreleases (v2). */
import { kubeTime } from '../../kubernetes/pods/pods.ts';
import type { KubeObject } from '../../kubernetes/store.ts';
import type { Controller, World } from '../../world/world.ts';
import { clearCondition, setCondition } from '../conditions.ts';
import { digestOf, type Snapshot, snapshotOf } from './flux-history.ts';
import { versionIn } from './git.ts';
import { type Chart, install, isRolledOut, resolved, uninstall } from './install.ts';

/** An upgrade under way, or one that failed and is not tried again until somebody asks. */
interface Attempt {
  to: string;
  /** Generation and request that began it. */
  cause: string;
  begunMs: number;
  /** Why, where it fails. */
  fails?: string;
  over: boolean;
}

/** Helm takes this long at least before it says that a release failed. */
const FAILS_AFTER_MS = 30_000;
const EXACT = /^v?\d+\.\d+\.\d+$/;
/** Helm-controller's own: without it a deleted release would leave behind what it has installed. */
const FINALIZER = 'finalizers.fluxcd.io';
const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';

export function createFlux(): Controller {
  const attempts = new Map<string, Attempt>();
  return {
    name: 'flux',
    everyMs: 10_000,
    tick(world) {
      for (const release of world.store.list('helmreleases')) {
        if (release.metadata.deletionTimestamp !== undefined) end(world, release);
        else if (release.spec.suspend !== true) reconcile(world, release, attempts);
      }
    },
  };
}

/** The chart and its version, in the object or behind its chartRef. */
function wantedOf(world: World, release: KubeObject): Chart | undefined {
  const { spec, metadata } = release;
  const ref = spec.chartRef;
  const repository = ref === undefined ? undefined : world.store.get('ocirepositories', ref.name, ref.namespace ?? metadata.namespace);
  const version =
    ref === undefined
      ? versionIn('helmreleases', release)
      : repository === undefined
        ? undefined
        : versionIn('ocirepositories', repository);
  if (version === undefined) return undefined;
  const name: string = ref === undefined ? spec.chart.spec.chart : repository?.spec.url.split('/').at(-1);
  return { name, version: resolved(version), values: spec.values ?? {}, mark: (object) => markOf(release, object) };
}

/** By Helm's own storage: its source may be gone already. */
function installedOf(release: KubeObject): Chart | undefined {
  const [current] = historyOf(release);
  if (current === undefined) return undefined;
  const { chartName: name, chartVersion: version } = current;
  return { name, version, values: release.spec.values ?? {}, mark: (object) => markOf(release, object) };
}

/** The labels of helm-controller's post-renderer, and Helm's own annotations. */
function markOf({ metadata, spec }: KubeObject, { metadata: theirs }: KubeObject): void {
  theirs.labels = {
    ...theirs.labels,
    'helm.toolkit.fluxcd.io/name': metadata.name,
    'helm.toolkit.fluxcd.io/namespace': metadata.namespace ?? '',
    'app.kubernetes.io/managed-by': 'Helm',
  };
  const release = spec.releaseName ?? metadata.name;
  theirs.annotations = {
    ...theirs.annotations,
    'meta.helm.sh/release-name': release,
    'meta.helm.sh/release-namespace': spec.targetNamespace,
  };
}

/** Deleted: what it has installed is uninstalled, unless it is suspended; then it may go. */
function end(world: World, release: KubeObject): void {
  const { name, namespace } = release.metadata;
  const installed = installedOf(release) ?? wantedOf(world, release);
  if (installed !== undefined && release.spec.suspend !== true) {
    uninstall(world, installed);
    world.journal.tell(`Flux uninstalls ${namespace}/${name}`);
  }
  world.store.update('helmreleases', name, namespace, (copy) => {
    copy.metadata.finalizers = copy.metadata.finalizers?.filter((each: string) => each !== FINALIZER) ?? [];
  });
}

function reconcile(world: World, release: KubeObject, attempts: Map<string, Attempt>): void {
  const { name, namespace, generation, annotations = {} } = release.metadata;
  const wanted = wantedOf(world, release);
  // A range is left at what it has: nothing newer is published.
  if (wanted === undefined || !EXACT.test(wanted.version)) return;
  const key = `${namespace}/${name}`;
  const cause = `${generation} ${annotations[REQUESTED_AT] ?? ''} ${wanted.version} ${JSON.stringify(wanted.values)}`;
  const [current] = historyOf(release);
  let attempt = attempts.get(key);
  const differs = current?.chartVersion !== wanted.version || current.configDigest !== digestOf(wanted.values);
  if (attempt?.cause !== cause && differs && attempt?.over !== false) {
    attempt = {
      to: wanted.version,
      cause,
      begunMs: world.clock.nowMs(),
      over: false,
      ...(world.faults.takes('karpenter:upgrade-fails') === undefined ? {} : { fails: 'context deadline exceeded' }),
    };
    attempts.set(key, attempt);
    world.journal.tell(`Flux upgrades ${key} from ${current?.chartVersion ?? 'nothing'} to ${wanted.version}`);
    const refused = install(world, wanted);
    if (refused !== undefined) attempt.fails = refused;
  }
  if (attempt !== undefined && !attempt.over) advance(world, release, wanted, attempt);
  world.store.update('helmreleases', name, namespace, (copy) => {
    copy.metadata.finalizers = [...new Set([...(copy.metadata.finalizers ?? []), FINALIZER])];
    copy.status = { ...copy.status, observedGeneration: generation };
    // Acknowledged when the reconciliation that it asked for has ended.
    if (attempt === undefined || attempt.over) copy.status.lastHandledReconcileAt = annotations[REQUESTED_AT];
    if (attempt !== undefined && !attempt.over) setCondition(world, copy, 'Ready', 'Unknown', 'Progressing', "Running 'upgrade' action");
  });
}

const historyOf = ({ status }: KubeObject): Snapshot[] => status?.history ?? [];

function advance(world: World, release: KubeObject, chart: Chart, attempt: Attempt): void {
  const { name, namespace } = release.metadata;
  const [current, ...older] = historyOf(release);
  const version = (current?.version ?? 0) + 1;
  const lastMs = world.clock.nowMs() - attempt.begunMs;
  if (attempt.fails !== undefined ? lastMs < FAILS_AFTER_MS : !isRolledOut(world, chart)) return;
  attempt.over = true;
  const at = kubeTime(world.clock.nowMs());
  const entry = (to: string, status: string, number: number) => snapshotOf(release, { chart: chart.name, version: to, number, status, at });
  const before = current === undefined ? [] : [{ ...current, status: 'superseded' }, ...older];
  if (attempt.fails !== undefined && current !== undefined) install(world, { ...chart, version: current.chartVersion });
  world.journal.tell(
    `Flux: ${namespace}/${name} ${attempt.fails !== undefined ? `failed with ${attempt.to} and is rolled back` : `is at ${attempt.to}`}`,
  );
  world.store.update('helmreleases', name, namespace, (copy) => {
    if (attempt.fails !== undefined) {
      const failed = entry(attempt.to, 'failed', version);
      copy.status.history = [entry(current?.chartVersion ?? '', 'deployed', version + 1), failed, ...before];
      const why = `Helm upgrade failed for release ${namespace}/${name} with chart ${chart.name}@${attempt.to}: ${attempt.fails}`;
      setCondition(world, copy, 'Released', 'False', 'UpgradeFailed', why);
      setCondition(
        world,
        copy,
        'Remediated',
        'True',
        'RollbackSucceeded',
        `Helm rollback to previous release ${namespace}/${name} succeeded`,
      );
      setCondition(world, copy, 'Ready', 'False', 'UpgradeFailed', why);
      return;
    }
    copy.status.history = [entry(attempt.to, 'deployed', version), ...before];
    const message = `Helm upgrade succeeded for release ${namespace}/${name}.v${version} with chart ${chart.name}@${attempt.to}`;
    clearCondition(copy, 'Remediated');
    setCondition(world, copy, 'Released', 'True', 'UpgradeSucceeded', message);
    setCondition(world, copy, 'Ready', 'True', 'UpgradeSucceeded', message);
  });
}
