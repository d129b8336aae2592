/** Installs and uninstalls Istio revisions with Helm, after a look at the releases. */
import type { IstioActivities } from '../../contract.ts';
import type { ClusterRef } from '../../../domain/facts.ts';
import type { IstioCanary } from '../../../domain/plan/types.ts';
import { beat } from '../../context.ts';
import type { KubernetesDeps, KubernetesPort } from '../../ports.ts';
import { failureOf } from '../../translate-errors.ts';
import { cancellableSleep } from '../../wait-until.ts';
import { heartbeating } from '../heartbeating.ts';
import { type HelmRelease, isPending, readRelease } from '../helm-release.ts';
import { type HelmRunner, runHelm, withPrivateFile } from '../helm.ts';
import { isAtLeast, minorOf } from '../versions.ts';
import { defaultRevision, findIstiods, istiodOf, listMutating } from './inventory.ts';
import { readRetirementFacts } from './retirement-facts.ts';
import { retirementFindings } from './retirement.ts';
import { pointTag, pointValidator } from './revision-tags.ts';

export interface HelmDeps {
  helm?: HelmRunner;
  /** How long an operation that is under way is waited for: a killed worker's helm may still be running to its end. */
  pendingWaitMs?: number;
}

/** Where Istio publishes its charts. */
const REPOSITORY = 'https://istio-release.storage.googleapis.com/charts';
const LOOK_EVERY_MS = 2_000;

type HelmRevision = Pick<IstioActivities, 'installIstioRevision' | 'retireIstioRevision'>;

export function createHelmRevisionActivities(deps: KubernetesDeps & HelmDeps): HelmRevision {
  const pendingWaitMs = deps.pendingWaitMs ?? 60_000;
  return {
    async installIstioRevision({ cluster, canary, chart, token }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const old = await releaseOf(port, canary.fromRevision, pendingWaitMs);
      const name = istiodOf(canary.toRevision);
      const present = await settled(port, old.namespace, name, pendingWaitMs);
      if (present?.status === 'deployed') return { version: adopted(present, canary) };
      await upgradeBase(deps.helm, cluster, port, { namespace: old.namespace, canary, chart, token, pendingWaitMs });
      const values = JSON.stringify(valuesFor(old, canary.toRevision));
      await withPrivateFile('values.json', values, async (file) => {
        const args = ['upgrade', '--install', name, ...chartArgs(chart, 'istiod', canary), '--namespace', old.namespace, '--values', file];
        await runHelm(deps.helm, cluster, [...args, '--description', token], `installing Istio revision ${canary.toRevision}`);
      });
      const installed = await readRelease(port, old.namespace, name);
      return { version: installed?.chart.appVersion ?? installed?.chart.version ?? canary.toVersion ?? canary.toMinor };
    },
    async retireIstioRevision({ cluster, revision, successor, token }) {
      const ports = await deps.clusterPorts(cluster);
      const port = ports.kubernetes;
      const release = await installedRelease(port, revision);
      if (release === undefined) return;
      // People decided a while ago: what has changed since then counts.
      const facts = await heartbeating(`looking at what uses revision ${revision}`, () => readRetirementFacts(ports, revision));
      const findings = retirementFindings(facts, revision, successor, true);
      const bad = findings.find(({ severity, status }) => severity === 'required' && status !== 'pass');
      if (bad !== undefined) {
        throw failureOf('InvalidRequest', `retiring Istio revision ${revision}: ${bad.message} (${bad.resources.join(', ')})`);
      }
      // First, or the API server would go on asking an istiod that is gone.
      const servesDefault = defaultRevision(await listMutating(port)) === revision;
      if (servesDefault && revision !== 'default') await pointTag(port, 'default', successor, false);
      await pointValidator(port, successor);
      const args = ['uninstall', release.name, '--namespace', release.namespace, '--description', token];
      await runHelm(deps.helm, cluster, args, `uninstalling Istio revision ${revision}`);
    },
  };
}

/** Where Helm keeps the release behind a revision's istiod: by Helm's own annotations, else by the usual name. */
async function placeOf(port: KubernetesPort, revision: string): Promise<{ namespace: string; name: string; there: boolean }> {
  const istiod = (await findIstiods(port, revision))[0];
  const { annotations = {}, namespace: home = 'istio-system' } = istiod?.metadata ?? {};
  const name = annotations['meta.helm.sh/release-name'] ?? istiodOf(revision);
  return { name, namespace: annotations['meta.helm.sh/release-namespace'] ?? home, there: istiod !== undefined };
}

async function releaseOf(port: KubernetesPort, revision: string, pendingWaitMs: number): Promise<HelmRelease> {
  const { namespace, name } = await placeOf(port, revision);
  const release = await settled(port, namespace, name, pendingWaitMs);
  if (release === undefined) throw noRelease(revision, namespace, name);
  return release;
}

/** undefined: release and istiod are gone. An uninstall that was cut off is taken up again. */
async function installedRelease(port: KubernetesPort, revision: string): Promise<HelmRelease | undefined> {
  const { namespace, name, there } = await placeOf(port, revision);
  const release = await readRelease(port, namespace, name);
  if (release === undefined && there) throw noRelease(revision, namespace, name);
  return release?.status === 'uninstalled' ? undefined : release;
}

function noRelease(revision: string, namespace: string, name: string): Error {
  return failureOf(
    'Configuration',
    `looking for the Helm release of Istio revision ${revision}: there is no release ${namespace}/${name}; if something else installs Istio, say so in managedBy.istio`,
  );
}

/** Refuses a release on which another operation does not come to its end: helm would refuse as well. */
async function settled(port: KubernetesPort, namespace: string, name: string, pendingWaitMs: number): Promise<HelmRelease | undefined> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const release = await readRelease(port, namespace, name);
    if (release === undefined || !isPending(release)) return release?.status === 'uninstalled' ? undefined : release;
    if (waitedMs >= pendingWaitMs) {
      throw failureOf(
        'InvalidRequest',
        `looking at Helm release ${namespace}/${name}: another operation is in progress (${release.status}); let it end, or helm rollback or uninstall it, then retry`,
      );
    }
    beat({ kind: 'waiting for helm', release: name, status: release.status });
    await cancellableSleep(LOOK_EVERY_MS);
  }
}

/** The values of the old release, without what belongs to the old release alone: its tags and its pinned images. */
function valuesFor(old: HelmRelease, revision: string): Record<string, unknown> {
  const { revisionTags: _tags, tag: _tag, ...kept } = old.config;
  const values: Record<string, unknown> = { ...kept, revision };
  for (const section of ['global', 'pilot']) {
    const inner = values[section];
    if (typeof inner === 'object' && inner !== null)
      values[section] = Object.fromEntries(Object.entries(inner).filter(([key]) => key !== 'tag'));
  }
  return values;
}

/** Any patch of the wanted minor will do. */
function adopted(release: HelmRelease, { toMinor }: IstioCanary): string {
  const version = release.chart.appVersion ?? release.chart.version;
  if (minorOf(version) === toMinor) return version;
  throw failureOf(
    'InvalidRequest',
    `installing Istio ${toMinor}: release ${release.namespace}/${release.name} is there with ${version}; uninstall it, or plan again`,
  );
}

function chartArgs(location: string | undefined, chart: 'istiod' | 'base', { toMinor, toVersion }: IstioCanary): string[] {
  const version = ['--version', toVersion ?? `~${toMinor}.0`];
  if (location === undefined) return [chart, '--repo', REPOSITORY, ...version];
  // The configured location is istiod's; base lies beside it.
  return [chart === 'istiod' ? location : location.replace(/istiod(?=[^/]*$)/, 'base'), ...version];
}

interface BaseUpgrade {
  namespace: string;
  canary: IstioCanary;
  chart: string | undefined;
  token: string;
  pendingWaitMs: number;
}

/** CRDs come first and are shared by all revisions. defaultRevision stays at the old one: it is in the values. */
async function upgradeBase(helm: HelmRunner | undefined, cluster: ClusterRef, port: KubernetesPort, input: BaseUpgrade): Promise<void> {
  const base = await settled(port, input.namespace, 'istio-base', input.pendingWaitMs);
  if (base === undefined || isAtLeast(base.chart.version, input.canary.toMinor)) return;
  await withPrivateFile('values.json', JSON.stringify(base.config), async (file) => {
    const args = [
      'upgrade',
      'istio-base',
      ...chartArgs(input.chart, 'base', input.canary),
      '--namespace',
      input.namespace,
      '--values',
      file,
    ];
    await runHelm(helm, cluster, [...args, '--description', input.token], `upgrading istio-base to ${input.canary.toMinor}`);
  });
}
