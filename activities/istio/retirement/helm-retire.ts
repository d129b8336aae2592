/** Removes an Istio revision that Helm installed. */
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { type HelmRelease, readRelease } from '../../kubernetes/helm/release.ts';
import { noRelease, releasePlaceOf } from '../revision/helm-place.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { IstioActivities } from '../../contract/istio.ts';
import type { HelmDeps } from '../../kubernetes/helm/upgrade.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { runHelm } from '../../kubernetes/helm/runner.ts';
import { moveDefaults } from '../revision/revision-tags.ts';
import { readRetirementFacts } from './retirement-facts.ts';
import { retirementFindings } from './retirement.ts';

export function createHelmRetireActivities(deps: KubernetesDeps & HelmDeps): Pick<IstioActivities, 'retireIstioRevision'> {
  return {
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
      await runHelm(deps.helm, cluster, { args, doing: `uninstalling Istio revision ${revision}` });
    },
  };
}

/** undefined: release and istiod are gone. An uninstall that was cut off is taken up again. */
export async function installedRelease(port: KubernetesPort, revision: string): Promise<HelmRelease | undefined> {
  const { namespace, name, there } = await releasePlaceOf(port, revision);
  const release = await readRelease(port, namespace, name);
  if (release === undefined && there) throw noRelease(revision, namespace, name);
  return release?.status === 'uninstalled' ? undefined : release;
}
