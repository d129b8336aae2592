/** Reads and judges the conditions of retiring a revision. */
import type { IstioActivities } from '../../contract/istio.ts';
import type { KubernetesDeps } from '../../contract/ports.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { readRetirementFacts } from './retirement-facts.ts';
import { retirementFindings } from './retirement.ts';

export function createCheckRetirementActivities(deps: KubernetesDeps): Pick<IstioActivities, 'checkRetirement'> {
  return {
    async checkRetirement({ cluster, revision, successor }) {
      const ports = await deps.clusterPorts(cluster);
      const facts = await heartbeating(`looking at what uses revision ${revision}`, () => readRetirementFacts(ports, revision));
      const byBelay = deps.policyOf(cluster.name).managedBy.istio === 'helm';
      return { findings: retirementFindings(facts, revision, successor, byBelay) };
    },
  };
}
