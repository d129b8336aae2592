/** Reads all facts of a cluster, AWS and Kubernetes side at the same time. Reads only. */
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import type { ClusterPorts } from '../../contract/ports.ts';
import { readAddOns } from './add-ons.ts';
import { readAutoModePools } from './auto-mode.ts';
import { readControlPlane, readNodeGroups, readSupportedVersions, readUpdateInProgress } from './eks.ts';
import { readIstio } from './istio.ts';
import { readDelivery } from './delivery.ts';
import { readKarpenter } from './karpenter.ts';
import { kubeletFacts, readNodes } from './nodes.ts';
import { readOtherNodes } from './other-nodes.ts';
import { readUninjected } from './uninjected.ts';
import { createReader } from '../../runtime/reader.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface Inspection {
  aws: AwsClients;
  /** Of one look (kubernetes/objects/shared-lists): its readers ask for the same lists. */
  ports: ClusterPorts;
  /** Absent: what only a plan asks for is not read. */
  account?: AccountClients;
  ref: ClusterRef;
  /** What a time-out or server error means: `throw` for callers that try again, `unknown` for a report now. */
  onTransient: 'throw' | 'unknown';
}

/** Throws when the cluster itself cannot be described; everything else that cannot be read is in `unknowns`. */
export async function inspectCluster({ aws, ports, account, ref, onTransient }: Inspection): Promise<ClusterFacts> {
  const reader = createReader(onTransient);
  const { kubernetes, prometheus } = ports;
  const controlPlane = await readControlPlane(aws, ref);
  const nowMs = Date.parse(aws.eksDate() ?? new Date().toISOString());
  const amazonSide = async () => ({
    supportedVersions: await readSupportedVersions(aws, reader),
    nodeGroups: await readNodeGroups(aws, ref, reader),
    addOns: await readAddOns({ aws, ref, kubernetes, reader, autoMode: controlPlane.autoMode }),
    updateInProgress: await readUpdateInProgress(aws, ref, reader),
  });
  const kubernetesSide = async () => {
    const nodes = await readNodes(kubernetes, reader);
    const kubelets = kubeletFacts(nodes ?? [], reader);
    const autoModePools = controlPlane.autoMode ? await readAutoModePools(kubernetes, reader, nodes ?? []) : undefined;
    const others = account === undefined ? {} : await readOtherNodes({ kubernetes, account, ref, reader, kubelets });
    const karpenter = await readKarpenter(kubernetes, reader, nodes ?? [], nowMs);
    const istio = await readIstio(kubernetes, prometheus, reader);
    const uninjected = istio === undefined || account === undefined ? {} : await readUninjected(kubernetes, istio, reader);
    return {
      kubelets,
      ...defined({ autoModePools }),
      ...others,
      ...(karpenter === undefined ? {} : { karpenter: { ...karpenter, ...(await readDelivery(kubernetes, ref, reader, 'Karpenter')) } }),
      ...(istio === undefined ? {} : { istio: { ...istio, ...uninjected, ...(await readDelivery(kubernetes, ref, reader, 'Istio')) } }),
    };
  };
  const [amazon, inside] = await Promise.all([amazonSide(), kubernetesSide()]);
  return {
    cluster: ref,
    controlPlane,
    ...amazon,
    ...inside,
    unknowns: reader.unknowns,
    readAt: aws.eksDate() ?? new Date(nowMs).toISOString(),
  };
}
