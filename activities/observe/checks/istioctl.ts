/** What istioctl says of a mesh before a hop. It advises: its errors are of the mesh's configuration, and most of them are older than the upgrade. */
import type { ManagedBy } from '../../../domain/facts/facts.ts';
import type { Finding } from '../../../domain/core/findings.ts';
import { type AnalysisReading, messageLine } from '../../../domain/health/mesh/istioctl-analysis.ts';
import { count } from '../../../domain/core/text.ts';
import type { Istioctl } from '../../istio/mesh/istioctl.ts';
import { findIstiods, REV } from '../../istio/mesh/inventory.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { finding } from './catalogue.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

/** InsufficientPermissions, "Missing required permission to create resource …": no concern where others install Istio. */
const MAY_NOT_CREATE = 'IST0141';

/** None where there is no istiod. `istioctl` undefined: this worker was not given one. */
export async function checkWithIstioctl(
  kubernetes: KubernetesPort,
  istioctl: Istioctl | undefined,
  { cluster, managedBy }: { cluster: ClusterRef; managedBy: ManagedBy },
): Promise<Finding[]> {
  if (istioctl === undefined) return [];
  const istiods = await findIstiods(kubernetes);
  if (istiods.length === 0) return [];
  const revisions = istiods
    .map(({ metadata }) => metadata.labels?.[REV] ?? 'default')
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const analysis = await istioctl.analyze(cluster, revisions[0] ?? 'default');
  const precheck = analysis.kind === 'seen' ? await istioctl.precheck(cluster) : analysis;
  return [judge(analysis, precheck, managedBy === 'helm')];
}

function judge(analysis: AnalysisReading, precheck: AnalysisReading, installs: boolean): Finding {
  const unseen = [analysis, precheck].find(({ kind }) => kind !== 'seen');
  if (unseen !== undefined && unseen.kind !== 'seen') {
    const why = unseen.kind === 'absent' ? 'istioctl is not on the PATH of the worker, nor named by BELAY_ISTIOCTL' : unseen.why;
    return finding('IST110', {
      status: 'unknown',
      message: `What istioctl analyze and x precheck would say is not known: ${why}. Belay's own checks (IST001 to IST016) were made all the same.`,
      remediation:
        'Install istioctl of the version that the mesh goes to, and let it list and watch what Istio reads (docs/operate/on-call.md); or look yourself.',
    });
  }
  const all = [analysis, precheck].flatMap((reading) => (reading.kind === 'seen' ? reading.messages : []));
  const messages = all.filter(({ code }) => installs || code !== MAY_NOT_CREATE);
  const errors = messages.filter(({ level }) => level === 'Error');
  if (messages.length === 0) return finding('IST110', { status: 'pass', message: 'istioctl analyze and x precheck find nothing.' });
  return finding('IST110', {
    status: errors.length === 0 ? 'pass' : 'fail',
    message: `istioctl finds ${count(errors.length, 'error')} and ${count(messages.length - errors.length, 'warning')}.`,
    resources: errors.map(messageLine),
    remediation:
      'Look each code up (istio.io, "Configuration analysis messages"); what is wrong before the upgrade is hard to tell from what it breaks.',
  });
}
