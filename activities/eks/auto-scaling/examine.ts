/** Whether Belay can refresh an Auto Scaling group, and how; what somebody keeps as code is asked for. */
import type { AutoScalingGroup, Instance } from '@aws-sdk/client-auto-scaling';
import type { LaunchTemplateVersion } from '@aws-sdk/client-ec2';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { field } from '../../../domain/core/unknown.ts';
import { during } from '../../runtime/translate-errors.ts';
import { findGroup, runningRefresh, signalled } from './group-calls.ts';
import type { ExaminedGroup, RefreshableGroup } from '../../contract/self-managed.ts';
import { HOOK } from './lifecycle-hook.ts';
import { nextImage } from './launch-image.ts';

/** So many versions of a launch template are looked through for an older image. */
const EARLIER = 10;
/** Results are small: so many instances are named. */
const NAMED = 20;

interface Tag {
  Key?: string;
  Value?: string;
}

export async function examine(
  clients: AccountClients,
  kubernetes: KubernetesPort,
  { name, to, back }: { name: string; to: string; back: boolean },
): Promise<ExaminedGroup> {
  const ask = (why: string): ExaminedGroup => ({ kind: 'ask', why });
  const group = await findGroup(clients, name);
  if (group === undefined) return ask('there is no Auto Scaling group of that name');
  const shape = whyOfShape(group);
  if (shape !== undefined) return ask(shape);
  const { LaunchTemplateId: templateId = '', Version: version = '$Default' } = group.LaunchTemplate ?? {};
  if (version === '$Default') return ask('it follows $Default of its launch template, which Belay does not set');
  const owner = ownerIn(group.Tags ?? []) ?? ownerIn(await readTemplateTags(clients, templateId));
  if (owner !== undefined) return ask(`${owner} keeps it or its launch template`);
  const template = await readVersion(clients, templateId, version);
  if (template?.VersionNumber === undefined) return ask(`version ${version} of its launch template ${templateId} is gone`);
  // As many as are reserved, and no more (EC2 user guide, "Capacity Blocks for ML"): a refresh launches new ones first.
  if (template.LaunchTemplateData?.InstanceMarketOptions?.MarketType === 'capacity-block')
    return ask('its instances come from a Capacity Block, which may have none for new nodes while the old ones run');
  const earlier = back ? await readEarlierImages(clients, templateId, template.VersionNumber) : [];
  const next = await nextImage(clients, { named: template.LaunchTemplateData?.ImageId, earlier }, to);
  if (next.kind === 'ask') return next;
  const { kind: _kind, ...image } = next;
  return {
    kind: 'refreshable',
    templateId,
    source: String(template.VersionNumber),
    followsLatest: version === '$Latest',
    ...image,
    size: group.DesiredCapacity ?? 0,
    ...waitedFor(group),
    hooks: await readHooks(clients, name),
    handler: await hasHandler(kubernetes),
    running: (await runningRefresh(clients, name)) !== undefined,
  };
}

/** A refresh comes to no end while one of them is suspended (Auto Scaling user guide, "How suspended processes affect other processes"). */
const NEEDED = ['Launch', 'Terminate', 'InstanceRefresh'];

/** Why a group of this shape is asked for; undefined: one launch template, named by its id, and nothing that a refresh would meet. */
function whyOfShape(group: AutoScalingGroup): string | undefined {
  const { LaunchConfigurationName, MixedInstancesPolicy, LaunchTemplate, WarmPoolConfiguration, SuspendedProcesses = [], Operator } = group;
  const suspended = SuspendedProcesses.flatMap(({ ProcessName = '' }) => (NEEDED.includes(ProcessName) ? [ProcessName] : []));
  // "only the designated operator service principal can make mutating changes" (Auto Scaling API reference, Operator).
  if (Operator?.Principal !== undefined) return `${Operator.Principal} manages it, and Auto Scaling lets nobody else change it`;
  if (LaunchConfigurationName !== undefined) return 'it has a launch configuration, which cannot be changed: give it a launch template';
  if (MixedInstancesPolicy !== undefined) return 'it has a mixed instances policy, whose templates Belay does not change';
  if (LaunchTemplate?.LaunchTemplateId === undefined) return 'it names no launch template';
  // Hooks hold the instances of a warm pool as well (Auto Scaling user guide, "Use lifecycle hooks with a warm pool"): nobody would let them go.
  if (WarmPoolConfiguration !== undefined) return 'it has a warm pool, whose instances Belay does not drain';
  if (suspended.length === 0) return undefined;
  const names = suspended.join(' ');
  return `its processes are suspended (${suspended.join(', ')}), so no refresh would end: aws autoscaling resume-processes --auto-scaling-group-name ${group.AutoScalingGroupName ?? ''} --scaling-processes ${names}`;
}

/** Instances that a refresh waits for an hour for, and then fails (Auto Scaling API reference, RefreshPreferences): nobody is overruled. */
function waitedFor({ Instances = [] }: AutoScalingGroup): Pick<RefreshableGroup, 'protectedIds' | 'standbyIds'> {
  const ids = (is: (instance: Instance) => boolean): string[] => Instances.filter(is).map(({ InstanceId = '' }) => InstanceId);
  const protectedIds = ids(({ ProtectedFromScaleIn }) => ProtectedFromScaleIn === true);
  const standbyIds = ids(({ LifecycleState }) => LifecycleState === 'Standby');
  return {
    ...(protectedIds.length === 0 ? {} : { protectedIds: protectedIds.slice(0, NAMED) }),
    ...(standbyIds.length === 0 ? {} : { standbyIds: standbyIds.slice(0, NAMED) }),
  };
}

/** By tags that CloudFormation and eksctl leave always, and Terraform's users often. */
function ownerIn(tags: readonly Tag[]): string | undefined {
  const stack = tags.find(({ Key }) => Key === 'aws:cloudformation:stack-name')?.Value;
  if (stack !== undefined) return `CloudFormation stack ${stack}`;
  return tags.some(({ Key = '', Value = '' }) => /terraform/i.test(Key) || /terraform/i.test(Value)) ? 'Terraform' : undefined;
}

function readTemplateTags(clients: AccountClients, id: string): Promise<Tag[]> {
  return during(`reading launch template ${id}`, async () => {
    const ec2 = await clients.ec2();
    return (await ec2.describeLaunchTemplates({ LaunchTemplateIds: [id] }, signalled())).LaunchTemplates?.[0]?.Tags ?? [];
  });
}

/** `version`: a number or $Latest. undefined: there is none. */
export function readVersion(clients: AccountClients, id: string, version: string): Promise<LaunchTemplateVersion | undefined> {
  return during(`reading launch template ${id}`, async () => {
    const ec2 = await clients.ec2();
    const query = { LaunchTemplateId: id, Versions: [version] };
    try {
      return (await ec2.describeLaunchTemplateVersions(query, signalled())).LaunchTemplateVersions?.[0];
    } catch (error) {
      if (field(error, 'name') === 'InvalidLaunchTemplateId.VersionNotFound') return undefined;
      throw error;
    }
  });
}

/** Images of the versions before, the newest first. */
function readEarlierImages(clients: AccountClients, id: string, before: number): Promise<string[]> {
  return during(`reading launch template ${id}`, async () => {
    const ec2 = await clients.ec2();
    const query = { LaunchTemplateId: id, MinVersion: String(Math.max(1, before - EARLIER)), MaxVersion: String(before) };
    const { LaunchTemplateVersions = [] } = await ec2.describeLaunchTemplateVersions(query, signalled());
    const older = LaunchTemplateVersions.filter(({ VersionNumber = before }) => VersionNumber < before);
    const images = older
      .toSorted((a, b) => (b.VersionNumber ?? 0) - (a.VersionNumber ?? 0))
      .flatMap(({ LaunchTemplateData }) => LaunchTemplateData?.ImageId ?? []);
    return [...new Set(images)];
  });
}

/** Those of others that hold an instance before it ends. */
function readHooks(clients: AccountClients, group: string): Promise<string[]> {
  return during(`reading the lifecycle hooks of ${group}`, async () => {
    const autoScaling = await clients.autoScaling();
    const { LifecycleHooks = [] } = await autoScaling.describeLifecycleHooks({ AutoScalingGroupName: group }, signalled());
    return LifecycleHooks.flatMap(({ LifecycleHookName = '', LifecycleTransition }) =>
      LifecycleTransition === 'autoscaling:EC2_INSTANCE_TERMINATING' && LifecycleHookName !== HOOK ? [LifecycleHookName] : [],
    );
  });
}

/** By the label of its chart. */
async function hasHandler(kubernetes: KubernetesPort): Promise<boolean> {
  const labelSelector = 'app.kubernetes.io/name=aws-node-termination-handler';
  const found = await Promise.all(
    ['deployments', 'daemonsets'].map((plural) =>
      kubernetes.list({ apiVersion: 'apps/v1', plural, labelSelector }, ({ metadata }) => ({ metadata })),
    ),
  );
  return found.some((some = []) => some.length > 0);
}
