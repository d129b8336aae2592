/** What would have to stand still so that no pod on Fargate is newer than a minor, and what Belay does not stop. */
import { matches } from '../../../domain/core/label-selectors.ts';
import { KEEPERS } from '../../../domain/facts/owners.ts';
import { keeperOf } from '../../kubernetes/gitops/owner-marks.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { workloadOf } from '../../kubernetes/drain/pod-owners.ts';
import { listServed } from '../../kubernetes/objects/lists.ts';
import { PLURALS } from '../../kubernetes/objects/rollout.ts';
import { controllerOf, type CronJob, type DisruptionBudget, nameOf, type Pod, type Workload } from '../../clients/kubernetes/objects.ts';
import { newerFargatePods } from './fargate-pods.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import type { FargateBack, FargateWorkload } from '../../../domain/plan/rollback/evidence.ts';

/** Without them nothing would start what was stopped. */
const OWN_PARTS = /(?:^|\/)(?:eks-)?belay(?:[:@]|$)|(?:^|\/)temporalio\//;
const OWN_NAMES = ['belay', 'temporal'];

/** Reads only. Pods that are ending are waited for, not counted; those without a node are where they would get a newer one (`placed` false). */
export async function readFargateBack(port: KubernetesPort, to: string, placed = false): Promise<FargateBack> {
  const isMeant = ({ metadata, spec }: Pod): boolean =>
    metadata.deletionTimestamp === undefined && (!placed || (spec?.nodeName ?? '') !== '');
  const pods = (await newerFargatePods(port, to)).filter(isMeant);
  const workloads = new Map<string, FargateWorkload>();
  const stuck = new Map<string, string>();
  const seen = new Set<string>();
  for (const pod of pods) {
    const controller = controllerOf(pod);
    const key = `${pod.metadata.namespace}/${controller?.kind}/${controller?.name ?? pod.metadata.name}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const found = await workloadOf(port, pod);
    if (found === undefined) {
      stuck.set(
        controller === undefined ? `Pod ${nameOf(pod)}` : `${controller.kind} ${pod.metadata.namespace}/${controller.name}`,
        howWithout(controller?.kind),
      );
      continue;
    }
    const title = objectTitle(found);
    const { namespace, name } = found;
    const workload = await port.get<Workload>({ apiVersion: 'apps/v1', plural: PLURALS[found.kind], namespace, name });
    const why = workload === undefined ? undefined : whyNotStopped(workload);
    if (why !== undefined) stuck.set(title, why);
    else workloads.set(title, { ...found, ...(workload === undefined ? {} : keptBy(workload)) });
  }
  const namespaces = new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []));
  return {
    podCount: pods.length,
    workloads: [...workloads.values()].toSorted((a, b) => objectTitle(a).localeCompare(objectTitle(b))),
    stuck: [...stuck].map(([workload, why]) => ({ workload, why })),
    dns: [...workloads.values()].some(isDns),
    cronJobs: pods.length === 0 ? [] : await cronJobsIn(port, namespaces),
    budgets: pods.length === 0 ? [] : await budgetsOf(port, pods),
  };
}

/** As EKS's add-on names it. */
export const isDns = ({ namespace, name }: Pick<FargateWorkload, 'namespace' | 'name'>): boolean =>
  namespace === 'kube-system' && name === 'coredns';

function howWithout(kind: string | undefined): string {
  if (kind === undefined) return 'No controller will recreate it: delete it, and create it again once the control plane is back';
  if (kind === 'Job') return 'A Job loses its work when it is stopped: wait until it has ended, or suspend it';
  return `Scale it to 0 through its own controller (${kind})`;
}

/** undefined: Belay may. */
function whyNotStopped(workload: Workload): string | undefined {
  const { metadata, spec = {} } = workload;
  const names = [metadata.labels, spec.template?.metadata?.labels].map((labels) => labels?.['app.kubernetes.io/name'] ?? '');
  const images = spec.template?.spec?.containers?.map(({ image }) => image ?? '') ?? [];
  if (names.some((name) => OWN_NAMES.includes(name)) || images.some((image) => OWN_PARTS.test(image)))
    return 'Belay runs by it and could start nothing again: run it elsewhere (an instance, another cluster)';
  if (spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete')
    return 'Its volumes are deleted when it is scaled to 0 (persistentVolumeClaimRetentionPolicy.whenScaled: Delete): set Retain first';
  return undefined;
}

/** Terraform looks at it only in its next apply. */
function keptBy(workload: Workload): { keptBy?: string } {
  const by = keeperOf(workload);
  return by === 'flux' || by === 'argocd' ? { keptBy: KEEPERS[by] } : {};
}

async function cronJobsIn(port: KubernetesPort, namespaces: ReadonlySet<string>): Promise<string[]> {
  const all = await listServed<CronJob>(port, { apiVersion: 'batch/v1', plural: 'cronjobs' });
  return all.filter(({ metadata, spec }) => namespaces.has(metadata.namespace ?? '') && spec?.suspend !== true).map(nameOf);
}

async function budgetsOf(port: KubernetesPort, pods: readonly Pod[]): Promise<string[]> {
  const all = await listServed<DisruptionBudget>(port, { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' });
  const selects = ({ metadata: { namespace }, spec }: DisruptionBudget): boolean =>
    pods.some((pod) => pod.metadata.namespace === namespace && matches(spec?.selector, pod.metadata.labels));
  return all.filter(selects).map(nameOf);
}
