/** What runs on the cluster and makes the replacement of nodes felt: workloads with one replica, a cluster autoscaler. */
import type { Finding } from '../../domain/findings.ts';
import { someOf } from '../../domain/words.ts';
import { nameOf, type Workload } from '../kubernetes/shapes.ts';
import type { KubernetesPort } from '../ports.ts';
import { findingUnless, unknownWhereDenied } from './catalogue.ts';

/** Deployments and StatefulSets: their pods are moved, those of DaemonSets come and go with nodes. */
const PLURALS = ['deployments', 'statefulsets'];
/** By its name, or by its image where people named it otherwise (registry.k8s.io/autoscaling/cluster-autoscaler). */
const AUTOSCALER = /(?:^|[/-])cluster-autoscaler(?:$|[-:@])/;

export async function checkWorkloads(kubernetes: KubernetesPort): Promise<Finding[]> {
  const listed: Workload[] = [];
  const isTelling = (workload: Workload): boolean => replicasOf(workload) === 1 || isAutoscaler(workload);
  try {
    for (const plural of PLURALS) {
      const query = { apiVersion: 'apps/v1', plural };
      listed.push(...((await kubernetes.list<Workload>(query, (workload) => (isTelling(workload) ? workload : undefined))) ?? []));
    }
  } catch (error) {
    const why = ['listing workloads', 'list on deployments and statefulsets'] as const;
    return [unknownWhereDenied('K8S012', error, ...why), unknownWhereDenied('K8S014', error, ...why)];
  }
  const running = listed.filter((workload) => replicasOf(workload) > 0);
  const single = running.filter((workload) => replicasOf(workload) === 1);
  return [singleReplicas(single.map(nameOf)), autoscaling(running.filter(isAutoscaler).map(nameOf))];
}

function singleReplicas(names: readonly string[]): Finding {
  return findingUnless('K8S012', names, {
    pass: 'Every workload has more than one replica.',
    fail: `One replica only: ${someOf(names)}. Each is away for about a minute when its node is replaced.`,
    remediation: 'Scale to two replicas before nodes move, or tell those who use them.',
  });
}

/** It takes nodes that look empty, new ones before their pods have come included, and adds others while groups are rolled. */
function autoscaling(names: readonly string[]): Finding {
  return findingUnless('K8S014', names, {
    pass: 'No cluster autoscaler runs.',
    fail: `A cluster autoscaler is at work (${someOf(names)}): it adds and removes nodes while they are replaced. Scale it to 0 until the upgrade is done.`,
    remediation: 'Scale its Deployment to 0 replicas before nodes move, and back when the upgrade is done.',
  });
}

/** One where the server was not told (apps/v1). */
function replicasOf({ spec }: Workload): number {
  return spec?.replicas ?? 1;
}

function isAutoscaler({ metadata, spec }: Workload): boolean {
  const images = (spec?.template?.spec?.containers ?? []).map(({ image = '' }) => image);
  return [metadata.name, ...images].some((text) => AUTOSCALER.test(text));
}
