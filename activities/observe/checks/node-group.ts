/** A node group after its update: EKS has it at the version without issues, and its nodes' kubelets say the same and are Ready. */
import type { HealthIssue } from '../../../domain/facts/facts.ts';
import { agree, count, someOf } from '../../../domain/core/text.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { finding, findingUnless } from './catalogue.ts';
import { sayIssues } from './cluster.ts';
import { findSickNodes } from './nodes.ts';
import { settle } from './settle.ts';
import type { CheckActivities } from '../../contract/belay-activities.ts';
import { kubeletMinor } from '../../kubernetes/objects/kubelet-versions.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { nodesOfGroup } from '../../eks/node-group.ts';
import { readResource } from '../../eks/updates/resource-state.ts';

type Input = Parameters<CheckActivities['verifyNodeGroup']>[0];

export async function verifyNodeGroup(
  aws: AwsClients,
  kubernetes: KubernetesPort,
  input: Input,
): ReturnType<CheckActivities['verifyNodeGroup']> {
  const { cluster: ref, nodeGroup: name, timing, to } = input;
  let issues: HealthIssue[] = [];
  const { findings } = await settle(timing, `verifying node group ${name} of ${ref.name}`, async () => {
    const state = await readResource(aws, ref, { kind: 'node-group', name });
    issues = state.health;
    const nodes = await nodesOfGroup(kubernetes, name);
    const old = nodes.filter((node) => kubeletMinor(node) !== to).map((node) => node.metadata.name);
    const versionRight = state.ownImage || state.version === to;
    const healthy = state.status === 'ACTIVE' && state.health.length === 0;
    return [
      finding('EKS102', {
        status: versionRight ? 'pass' : 'fail',
        message: `EKS has node group ${name} at ${state.version || 'an image of its own'}.`,
        resources: versionRight ? [] : [name],
      }),
      finding('EKS009', {
        status: healthy ? 'pass' : 'fail',
        message: `Node group ${name} is ${state.status}${state.health.length === 0 ? '' : ` and has ${sayIssues(state.health)}`}.`,
        resources: healthy ? [] : [name],
        ...(healthy ? {} : { remediation: 'Repair the node group (EKS console, health issues), then retry.' }),
      }),
      findingUnless('K8S104', old, {
        pass: `${count(nodes.length, 'node')} of ${name} ${agree(nodes.length, 'is', 'are')} at ${to}.`,
        fail: `${old.length} of ${nodes.length} nodes of ${name} are not at ${to}: ${someOf(old)}.`,
      }),
      ...findSickNodes(kubernetes, nodes, ` of ${name}`),
    ];
  });
  return { findings, ...(issues.length === 0 ? {} : { issues }) };
}
