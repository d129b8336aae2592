/** Waits until an add-on is well at a version: EKS says ACTIVE without issues, and its workload has rolled. Self-managed ones by image tag. */
import type { Addon } from '@aws-sdk/client-eks';
import { sameRelease } from '../../domain/facts/add-on-versions.ts';
import type { HealthIssue } from '../../domain/facts/facts.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import type { KubernetesPort } from '../contract/ports.ts';
import { waitUntil } from '../runtime/wait-until.ts';
import { type AddOnWorkload, addOnImageVersion, readAddOnWorkloads, rolloutLeft } from './add-on-workloads.ts';
import { isWellAhead } from './newer-add-on.ts';
import { describeAddon } from '../clients/aws/eks-api.ts';
import { healthIssues } from './updates/resource-state.ts';
import type { EksActivities } from '../contract/eks.ts';

type Input = Parameters<EksActivities['awaitAddOnHealthy']>[0];

interface Now {
  /** undefined: EKS does not manage it. */
  addOn: Addon | undefined;
  workloads: AddOnWorkload[];
}

export async function awaitAddOnHealthy(
  aws: AwsClients,
  kubernetes: KubernetesPort,
  input: Input,
): ReturnType<EksActivities['awaitAddOnHealthy']> {
  const { cluster: ref, addOn, to, timing } = input;
  let issues: HealthIssue[] = [];
  const look = async (): Promise<Now> => ({
    addOn: await describeAddon(aws, ref, addOn),
    workloads: await readAddOnWorkloads(kubernetes, addOn),
  });
  if (input.asked === true) {
    const doing = `waiting for somebody to bring add-on ${addOn} of ${ref.name} to ${to}`;
    const changed = await waitUntil<true>({ timing, timeoutMs: timing.askTimeoutMs, doing }, async () => {
      const { wrong } = await versionOf(aws, await look(), input);
      return wrong === undefined ? { done: true, value: true } : { done: false, note: wrong };
    });
    if (changed.kind === 'timed-out') return { healthy: false, message: `nobody has changed it: ${changed.lastNote ?? 'no answer'}` };
  }
  const end = await waitUntil<string>(
    { timing, timeoutMs: timing.addOnTimeoutMs, doing: `waiting for add-on ${addOn} of ${ref.name} at ${to}` },
    async () => {
      const now = await look();
      issues = healthIssues(now.addOn?.health?.issues);
      const { version, wrong } = await versionOf(aws, now, input);
      const left = wrong ?? illness(now.addOn) ?? (await rolloutLeft(kubernetes, now.workloads));
      return left === undefined ? { done: true, value: `${addOn} is healthy at ${version}` } : { done: false, note: left };
    },
  );
  if (end.kind === 'done') return { healthy: true, message: end.value };
  return {
    healthy: false,
    message: `${addOn} is not healthy at ${to} after the time allowed: ${end.lastNote ?? 'no answer'}`,
    ...(issues.length === 0 ? {} : { issues }),
  };
}

/** `wrong`: why it is not at the version that is wanted, nor at a newer one that is as good. */
async function versionOf(aws: AwsClients, { addOn, workloads }: Now, input: Input): Promise<{ version: string; wrong?: string }> {
  const { addOn: name, to } = input;
  if (addOn !== undefined) {
    const { addonVersion: version } = addOn;
    if (version === undefined) return { version: to, wrong: 'EKS has it at no version' };
    const isRight = version === to || (await isWellAhead(aws, { addOn: name, version, managed: true }, input));
    return isRight ? { version } : { version, wrong: `EKS has it at ${version}` };
  }
  if (workloads.length === 0) return { version: to, wrong: 'neither EKS nor kube-system has it' };
  let seen = to;
  for (const workload of workloads) {
    const version = addOnImageVersion(workload);
    const { name: of } = workload.object.metadata;
    if (version === undefined) return { version: to, wrong: `${of} runs an image without a version tag` };
    // Images from elsewhere than EKS have no eksbuild in their tags.
    const isRight =
      sameRelease({ managed: false }, to, version) || (await isWellAhead(aws, { addOn: name, version, managed: false }, input));
    if (!isRight) return { version, wrong: `${of} runs ${version}` };
    seen = version;
  }
  return { version: seen };
}

function illness(addOn: Addon | undefined): string | undefined {
  if (addOn === undefined) return undefined;
  const issue = addOn.health?.issues?.[0];
  if (issue !== undefined) return `EKS reports ${issue.code ?? 'an issue'} (${issue.message ?? 'no message'})`;
  return addOn.status === 'ACTIVE' ? undefined : `EKS has it ${addOn.status ?? 'without a status'}`;
}
