/** Whose /metrics are scraped, and where they are: pods by the labels of EKS' add-on, of Karpenter's chart and of Istio's. */
import type { ScrapeTarget } from '../../../domain/health/metrics/scrapes.ts';
import { isLive, type Pod } from '../kubernetes/objects.ts';
import type { KubernetesPort, PodPort } from '../../contract/ports.ts';
import { defined } from '../../../domain/core/defined.ts';

type PodTarget = Exclude<ScrapeTarget, 'api-server'>;

interface Whereabouts {
  labelSelector: string;
  /** Absent: wherever it was installed. */
  namespace?: string;
  /** Where the pod names no port for metrics. */
  port: number;
}

/** docs.aws.amazon.com, "Manage CoreDNS"; karpenter.sh, "Metrics" (8000 before 1.0, by the name of its port); istio.io, "Ports used by Istio". */
const PODS: Readonly<Record<PodTarget, Whereabouts>> = {
  coredns: { labelSelector: 'k8s-app=kube-dns', namespace: 'kube-system', port: 9153 },
  karpenter: { labelSelector: 'app.kubernetes.io/name=karpenter', port: 8080 },
  istiod: { labelSelector: 'app=istiod', port: 15_014 },
};
/** CoreDNS', Karpenter's and, in newer charts, istiod's. */
const PORT_NAMES: readonly string[] = ['metrics', 'http-metrics', 'http-monitoring'];

export interface Found {
  from: 'api-server' | PodPort;
  /** A pod's uid: what begins anew is another one. */
  id: string;
}

/** In words, for what people read. */
export const nameOfTarget = (target: ScrapeTarget): string =>
  target === 'api-server' ? 'the API server' : `pods of ${{ coredns: 'CoreDNS', karpenter: 'Karpenter', istiod: 'istiod' }[target]}`;

/** Where a target is now. Pods that do not run have nothing to say. */
export async function findTarget(port: KubernetesPort, target: ScrapeTarget): Promise<Found[]> {
  if (target === 'api-server') return [{ from: 'api-server', id: '' }];
  const { labelSelector, namespace, port: usual } = PODS[target];
  const query = { apiVersion: 'v1', plural: 'pods', labelSelector, ...defined({ namespace }) };
  const pods = (await port.list<Pod>(query)) ?? [];
  return pods
    .filter((pod) => isLive(pod) && pod.status?.phase === 'Running')
    .map(({ metadata: { name, namespace: own = '', uid }, spec }) => {
      const ports = (spec?.containers ?? []).flatMap(({ ports: all = [] }) => all);
      const named = ports.find(({ name: portName = '' }) => PORT_NAMES.includes(portName));
      return { from: { namespace: own, name, port: named?.containerPort ?? usual }, id: uid };
    });
}
