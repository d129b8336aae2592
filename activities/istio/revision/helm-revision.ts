/** Installs and uninstalls Istio revisions with Helm, after a look at the releases. */
import type { IstioActivities } from '../../contract/istio.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { type HelmRelease, readRelease } from '../../kubernetes/helm/release.ts';
import { type HelmDeps, upgradeRelease } from '../../kubernetes/helm/upgrade.ts';
import type { ReleaseName } from '../../kubernetes/helm/ownership.ts';
import { runHelm } from '../../kubernetes/helm/runner.ts';
import { settledRelease } from '../../kubernetes/helm/settled-release.ts';
import { minorOf } from '../../kubernetes/objects/kubelet-versions.ts';
import { upgradeBase } from './istio-base.ts';
import { findChart } from './helm-charts.ts';
import { releasePlaceOf } from './helm-place.ts';
import { withoutPins } from './helm-values.ts';
import { istiodOf } from '../mesh/inventory.ts';
import { readRetirementFacts } from '../retirement/retirement-facts.ts';
import { retirementFindings } from '../retirement/retirement.ts';
import { moveDefaults } from './revision-tags.ts';

type HelmRevision = Pick<IstioActivities, 'installIstioRevision' | 'retireIstioRevision'>;

export function createHelmRevisionActivities(deps: KubernetesDeps & HelmDeps): HelmRevision {
  const { helm, pendingWaitMs = 60_000 } = deps;
  return {
    async installIstioRevision(input) {
      const { cluster, canary, chart, token } = input;
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const old = await releaseOf(port, canary.fromRevision, pendingWaitMs);
      const name = istiodOf(canary.toRevision);
      const place = canary.back?.release;
      const present = await settledRelease(port, place?.namespace ?? old.namespace, place?.name ?? name, pendingWaitMs);
      if (present?.status === 'deployed') return { version: adopted(present, canary.toMinor) };
      const found = await findChart(helm, cluster, chart, 'istiod', canary);
      // The CRDs of the newer version serve the older one as well.
      if (canary.back === undefined)
        await upgradeBase({ helm, port, input, namespace: old.namespace, version: found.version, pendingWaitMs });
      await upgradeRelease(helm, {
        cluster,
        name: place?.name ?? name,
        namespace: place?.namespace ?? old.namespace,
        chart: found.args,
        values: place === undefined ? valuesFor(old, canary.toRevision) : await valuesOf(port, place, canary.toRevision),
        token,
        install: true,
        doing: `installing Istio revision ${canary.toRevision}`,
      });
      return { version: found.appVersion };
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
      const [held] = await moveDefaults(port, revision, successor);
      if (held !== undefined) {
        throw failureOf(
          'Configuration',
          `retiring Istio revision ${revision}: ${held.what} belongs to ${held.by}; point it at ${successor} there, then retry`,
        );
      }
      // The record stays: chart and values, for helm rollback.
      const args = ['uninstall', release.name, '--namespace', release.namespace, '--keep-history', '--description', token];
      await runHelm(helm, cluster, { args, doing: `uninstalling Istio revision ${revision}` });
    },
  };
}

async function releaseOf(port: KubernetesPort, revision: string, pendingWaitMs: number): Promise<HelmRelease> {
  const { namespace, name } = await releasePlaceOf(port, revision);
  const release = await settledRelease(port, namespace, name, pendingWaitMs);
  if (release === undefined) throw noRelease(revision, namespace, name);
  return release;
}

/** undefined: release and istiod are gone. An uninstall that was cut off is taken up again. */
async function installedRelease(port: KubernetesPort, revision: string): Promise<HelmRelease | undefined> {
  const { namespace, name, there } = await releasePlaceOf(port, revision);
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

/** The values of the old release, without what belongs to the old release alone: its tags and its pinned images. */
function valuesFor(old: HelmRelease, revision: string): Record<string, unknown> {
  const { revisionTags: _tags, ...kept } = withoutPins(old.config);
  return { ...kept, revision };
}

/** As the retired release had them: Helm has kept its record. Throws Configuration where it has not. */
async function valuesOf(port: KubernetesPort, { namespace, name }: ReleaseName, revision: string): Promise<Record<string, unknown>> {
  const release = await readRelease(port, namespace, name);
  if (release !== undefined) return release.config;
  throw failureOf(
    'Configuration',
    `installing Istio revision ${revision} again: Helm has no record of release ${namespace}/${name} any more; install it with the values that it had, then plan again`,
  );
}

/** Any patch of the wanted minor will do. */
function adopted(release: HelmRelease, toMinor: string): string {
  const version = release.chart.appVersion ?? release.chart.version;
  if (minorOf(version) === toMinor) return version;
  throw failureOf(
    'InvalidRequest',
    `installing Istio ${toMinor}: release ${release.namespace}/${release.name} is there with ${version}; uninstall it, or plan again`,
  );
}
