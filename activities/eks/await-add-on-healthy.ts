/** Waits until an add-on is well at a version: EKS says ACTIVE without issues, and its workload has rolled. Self-managed ones by image tag. */
import type { Addon } from '@aws-sdk/client-eks';
import type { HealthIssue } from '../../domain/facts/facts.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import type { KubernetesPort } from '../contract/ports.ts';
import { waitUntil } from '../runtime/wait-until.ts';
import { addOnImageVersion, readAddOnWorkloads, rolloutLeft } from './add-on-workloads.ts';
import { describeAddon } from '../clients/aws/eks-api.ts';
import { healthIssues } from './updates/resource-state.ts';
import type { EksActivities } from '../contract/eks.ts';

type Input = Parameters<EksActivities['awaitAddOnHealthy']>[0];

export async function awaitAddOnHealthy(
  aws: AwsClients,
  kubernetes: KubernetesPort,
  input: Input,
): ReturnType<EksActivities['awaitAddOnHealthy']> {
  const { cluster: ref, addOn, to, timing } = input;
  let issues: HealthIssue[] = [];
  const end = await waitUntil<string>(
    { timing, timeoutMs: timing.addOnTimeoutMs, doing: `waiting for add-on ${addOn} of ${ref.name} at ${to}` },
    async () => {
      const addOnNow = await describeAddon(aws, ref, addOn);
      issues = healthIssues(addOnNow?.health?.issues);
      const left = await whatIsLeft(addOnNow, kubernetes, input);
      return left === undefined ? { done: true, value: `${addOn} is healthy at ${to}` } : { done: false, note: left };
    },
  );
  if (end.kind === 'done') return { healthy: true, message: end.value };
  return {
    healthy: false,
    message: `${addOn} is not healthy at ${to} after the time allowed: ${end.lastNote ?? 'no answer'}`,
    ...(issues.length === 0 ? {} : { issues }),
  };
}

async function whatIsLeft(addOn: Addon | undefined, kubernetes: KubernetesPort, input: Input): Promise<string | undefined> {
  const { addOn: name, to } = input;
  const workloads = await readAddOnWorkloads(kubernetes, name);
  if (addOn !== undefined) {
    if (addOn.addonVersion !== to) return `EKS has it at ${addOn.addonVersion ?? 'no version'}`;
    const issue = addOn.health?.issues?.[0];
    if (issue !== undefined) return `EKS reports ${issue.code ?? 'an issue'} (${issue.message ?? 'no message'})`;
    if (addOn.status !== 'ACTIVE') return `EKS has it ${addOn.status ?? 'without a status'}`;
  } else {
    if (workloads.length === 0) return 'neither EKS nor kube-system has it';
    const wrong = workloads.find((workload) => addOnImageVersion(workload) !== to);
    if (wrong !== undefined) return `${wrong.object.metadata.name} runs ${addOnImageVersion(wrong) ?? 'an image without a version tag'}`;
  }
  return rolloutLeft(workloads);
}
