/** Starts a managed node group's update. A group with its own image (amiType CUSTOM) is never sent a version: EKS refuses that. */
import { type Nodegroup, UpdateNodegroupVersionCommand } from '@aws-sdk/client-eks';
import { minorDistance, tryKubernetesVersion } from '../../domain/core/version.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import { currentSignal } from '../runtime/context.ts';
import { listServed, slimNode } from '../kubernetes/objects/lists.ts';
import type { ClusterNode } from '../clients/kubernetes/objects.ts';
import { kubeletMinor } from '../kubernetes/objects/kubelet-versions.ts';
import type { KubernetesPort } from '../contract/ports.ts';
import { failureOf } from '../runtime/translate-errors.ts';
import { describeNodegroup } from '../clients/aws/eks-api.ts';
import { startUpdate } from './updates/start-update.ts';
import type { EksActivities } from '../contract/eks.ts';

export async function startNodeGroupUpdate(
  aws: AwsClients,
  kubernetes: () => Promise<KubernetesPort>,
  input: Parameters<EksActivities['startNodeGroupUpdate']>[0],
) {
  const { cluster: ref, nodeGroup: name, to, token, notBefore, force, back } = input;
  let group: Nodegroup | undefined;
  return startUpdate({
    aws,
    ref,
    resource: { kind: 'node-group', name },
    to,
    notBefore,
    async look() {
      group = await describeNodegroup(aws, ref, name);
      const there = isCustom(group) ? await everyKubeletAt(await kubernetes(), name, to) : group.version === to;
      return { version: group.version ?? '', status: group.status ?? 'unknown', there };
    },
    permit(look) {
      if (group !== undefined && isCustom(group)) {
        const template = group.launchTemplate?.name ?? group.launchTemplate?.id ?? 'its launch template';
        throw failureOf(
          'InvalidRequest',
          `starting the update of node group ${name} to ${to}: it runs an image of your own; put an image for ${to} into ${template}, update the group to that template version, then retry`,
        );
      }
      const from = tryKubernetesVersion(look.version);
      const wanted = tryKubernetesVersion(to);
      if (from === undefined || wanted === undefined || minorDistance(from, wanted) < (back === true ? -1 : 0)) {
        throw failureOf(
          'InvalidRequest',
          `starting the update of node group ${name} to ${to}: it is at ${look.version}; plan again from there`,
        );
      }
    },
    async send() {
      const command = new UpdateNodegroupVersionCommand({
        clusterName: ref.name,
        nodegroupName: name,
        version: to,
        clientRequestToken: token,
        ...(force === true ? { force: true } : {}),
      });
      return (await (await aws.writing()).send(command, { abortSignal: currentSignal() })).update;
    },
  });
}

function isCustom(group: Nodegroup): boolean {
  return group.amiType === 'CUSTOM';
}

/** The group's nodes; those being deleted are not counted. */
export async function nodesOfGroup(kubernetes: KubernetesPort, group: string): Promise<ClusterNode[]> {
  const query = { apiVersion: 'v1', plural: 'nodes', labelSelector: `eks.amazonaws.com/nodegroup=${group}` };
  const nodes = await listServed<ClusterNode>(kubernetes, query, slimNode);
  return nodes.filter((node) => node.metadata.deletionTimestamp === undefined);
}

/** False for a group without nodes: nothing shows that its image is right. */
async function everyKubeletAt(kubernetes: KubernetesPort, group: string, minor: string): Promise<boolean> {
  const nodes = await nodesOfGroup(kubernetes, group);
  return nodes.length > 0 && nodes.every((node) => kubeletMinor(node) === minor);
}
