/** The Cluster Autoscaler: that it runs while nodes are replaced, and for which minor it was made. */
import { imageVersion, tryComponentVersion } from '../../../core/component-version.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../../core/version.ts';
import { count, someOf } from '../../../core/text.ts';
import { type Check, check, type Look } from '../../model/check.ts';
import { moves, nameOf, replicasOf, resourceOf } from '../../model/names.ts';
import type { WorkloadSeen } from '../../model/evidence-workloads.ts';

/** By its name, or by its image where people named it otherwise (registry.k8s.io/autoscaling/cluster-autoscaler). */
const AUTOSCALER = /(?:^|[/-])cluster-autoscaler(?:$|[-:@])/;

const runs = (workload: WorkloadSeen): boolean => moves(workload) && replicasOf(workload) > 0;

function isAutoscaler({ name, containers }: WorkloadSeen): boolean {
  return AUTOSCALER.test(name) || containers.some(({ image }) => AUTOSCALER.test(image));
}

/** What its own image says; else that of its first container. */
function versionOf({ containers }: WorkloadSeen): string | undefined {
  return imageVersion((containers.find(({ image }) => AUTOSCALER.test(image)) ?? containers[0])?.image);
}

function versionLook(workloads: readonly WorkloadSeen[], target: KubernetesVersion): Look {
  const to = formatKubernetesVersion(target);
  const found = workloads.filter(isAutoscaler).map((workload) => {
    const text = versionOf(workload);
    return { workload, text, version: text === undefined ? undefined : tryComponentVersion(text) };
  });
  const other = found.filter(({ version }) => version !== undefined && (version.major !== target.major || version.minor !== target.minor));
  if (other.length > 0)
    return {
      fail: `${count(other.length, 'cluster autoscaler')} of another minor than ${to}.`,
      resources: other.map(({ workload, text = '' }) => ({ ...resourceOf(workload.kind, workload), note: text })),
    };
  const blind = found.filter(({ version }) => version === undefined).map(({ workload }) => nameOf(workload));
  if (blind.length > 0) return { unknown: `The image of ${someOf(blind)} does not say which version it is.` };
  return { pass: found.length === 0 ? 'There is no cluster autoscaler.' : `The cluster autoscaler is of ${to}.` };
}

export const autoscalerChecks: readonly Check[] = [
  check({
    code: 'K8S014',
    area: 'Kubernetes',
    title: 'No cluster autoscaler removes nodes meanwhile',
    severity: 'recommended',
    reads: ['workloads'],
    remediation: 'Scale its Deployment to 0 before nodes move, and back after the upgrade.',
    source: 'https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md',
    look({ workloads }) {
      const found = workloads.filter((workload) => runs(workload) && isAutoscaler(workload));
      if (found.length === 0) return { pass: 'No cluster autoscaler runs.' };
      return {
        fail: `A cluster autoscaler is at work (${someOf(found.map(nameOf))}): it adds and removes nodes while they are replaced.`,
        resources: found.map((each) => resourceOf(each.kind, each)),
      };
    },
  }),
  check({
    code: 'K8S047',
    area: 'Kubernetes',
    title: 'The cluster autoscaler is of the target’s minor',
    severity: 'recommended',
    reads: ['workloads'],
    remediation:
      'Set its image to the newest patch of that minor once the control plane has moved: it simulates the scheduler of its own minor.',
    source: 'https://github.com/kubernetes/autoscaler/tree/master/cluster-autoscaler#releases',
    look: ({ workloads }, { target }) => versionLook(workloads, target),
  }),
];
