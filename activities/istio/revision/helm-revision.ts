/** Installs Istio revisions with Helm, after a look at the releases. */
import type { IstioCanary } from '../../../domain/plan/model/changes.ts';
import type { IstioActivities } from '../../contract/istio.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { type HelmRelease, readRelease } from '../../kubernetes/helm/release.ts';
import { type HelmDeps, upgradeRelease } from '../../kubernetes/helm/upgrade.ts';
import type { ReleaseName } from '../../kubernetes/helm/ownership.ts';
import { settledRelease } from '../../kubernetes/helm/settled-release.ts';
import { minorOf } from '../../kubernetes/objects/kubelet-versions.ts';
import { upgradeBase } from './istio-base.ts';
import { findChart } from './helm-charts.ts';
import { noRelease, releasePlaceOf } from './helm-place.ts';
import { lastingHub, movedValues, whyNotCopied, withoutPins } from './helm-values.ts';
import { edited } from '../../kubernetes/gitops/chart-values.ts';
import { istiodOf } from '../mesh/inventory.ts';

type HelmRevision = Pick<IstioActivities, 'installIstioRevision'>;

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
      const fromOld =
        place === undefined ? whyNotCopied(`release ${old.namespace}/${old.name}`, canary.fromRevision, old.config) : undefined;
      if (fromOld !== undefined) throw failureOf('Configuration', `installing Istio revision ${canary.toRevision}: ${fromOld}; then retry`);
      const found = await findChart(helm, cluster, chart, 'istiod', canary);
      // The CRDs of the newer version serve the older one as well.
      if (canary.back === undefined)
        await upgradeBase({ helm, port, input, namespace: old.namespace, version: found.version, pendingWaitMs });
      await upgradeRelease(helm, {
        cluster,
        name: place?.name ?? name,
        namespace: place?.namespace ?? old.namespace,
        chart: found.args,
        values: place === undefined ? valuesFor(old, canary) : await valuesOf(port, place, canary.toRevision),
        token,
        install: true,
        doing: `installing Istio revision ${canary.toRevision}`,
      });
      return { version: found.appVersion };
    },
  };
}

async function releaseOf(port: KubernetesPort, revision: string, pendingWaitMs: number): Promise<HelmRelease> {
  const { namespace, name } = await releasePlaceOf(port, revision);
  const release = await settledRelease(port, namespace, name, pendingWaitMs);
  if (release === undefined) throw noRelease(revision, namespace, name);
  return release;
}

/** The values of the old release, without what belongs to the old release alone: its tags and its pinned images. */
function valuesFor({ config }: HelmRelease, { toRevision, toMinor }: Pick<IstioCanary, 'toRevision' | 'toMinor'>): Record<string, unknown> {
  const { revisionTags: _tags, ...kept } = withoutPins(edited(config, [...movedValues(config), ...lastingHub(config, toMinor)]));
  return { ...kept, revision: toRevision };
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
