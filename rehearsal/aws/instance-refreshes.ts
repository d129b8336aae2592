/** Instance refreshes of one's own Auto Scaling groups over the query protocol: started, listed, cancelled, rolled back. */
import { activeRefresh, startRefresh } from '../controllers/instance-refresh.ts';
import { AwsError } from './eks/errors.ts';
import type { World } from '../world/world.ts';
import type { AutoScalingGroup, InstanceRefresh } from './network.ts';
import { cut, numbered } from './query.ts';
import type { XmlValue } from './xml.ts';

type Answer = Record<string, XmlValue>;

/** Throws as Auto Scaling does for a name that it does not know. */
export function requireGroup(world: World, form: URLSearchParams): AutoScalingGroup {
  const name = form.get('AutoScalingGroupName') ?? '';
  const group = world.eks.network.autoScalingGroups.find((each) => each.name === name);
  if (group === undefined) throw invalid(`AutoScalingGroup name not found - AutoScalingGroup ${name} not found`);
  return group;
}

export const invalid = (message: string): AwsError => new AwsError(400, 'ValidationError', message);

export function startInstanceRefresh(world: World, form: URLSearchParams): Answer {
  const group = requireGroup(world, form);
  if (activeRefresh(group) !== undefined)
    throw new AwsError(
      400,
      'InstanceRefreshInProgress',
      'An Instance Refresh is already in progress and blocks the execution of this one.',
    );
  refuseOutOfRange(form);
  const preferences = preferencesOf(form);
  const { minHealthyPercent, maxHealthyPercent, checkpoints } = preferences;
  if ((maxHealthyPercent ?? group.maxHealthyPercent ?? 100) - (minHealthyPercent ?? 90) > 100)
    throw invalid('The difference between MaxHealthyPercentage and MinHealthyPercentage cannot be greater than 100.');
  if (minHealthyPercent === 100 && (maxHealthyPercent ?? 100) === 100 && form.has('Preferences.MaxHealthyPercentage'))
    throw invalid('MinHealthyPercentage and MaxHealthyPercentage cannot both be 100.');
  if (checkpoints !== undefined && checkpoints.some((percent, index) => percent <= (checkpoints[index - 1] ?? 0)))
    throw invalid('CheckpointPercentages must be in ascending order.');
  const template = templateOf(world, form);
  if (form.get('Preferences.AutoRollback') === 'true' && (template === undefined || template.version.startsWith('$')))
    throw invalid('AutoRollback needs a desired configuration with a numbered launch template version.');
  return { InstanceRefreshId: startRefresh(world, group, template, preferences).id };
}

/** As in botocore's data/autoscaling/2011-01-01. */
const RANGES: readonly (readonly [member: string, least: number, most: number])[] = [
  ['MinHealthyPercentage', 0, 100],
  ['MaxHealthyPercentage', 100, 200],
  ['CheckpointDelay', 0, 172_800],
];

function refuseOutOfRange(form: URLSearchParams): void {
  const percentages = numbered(form, 'Preferences.CheckpointPercentages.member').map(
    (value) => ['CheckpointPercentages', value, 1, 100] as const,
  );
  const others = RANGES.map(([member, least, most]) => [member, form.get(`Preferences.${member}`), least, most] as const);
  for (const [member, value, least, most] of [...percentages, ...others]) {
    if (value === null || (Number(value) >= least && Number(value) <= most)) continue;
    throw invalid(
      `Value '${value}' at 'preferences.${member}' failed to satisfy constraint: Member must have a value from ${least} to ${most}`,
    );
  }
}

function preferencesOf(form: URLSearchParams): Partial<InstanceRefresh['preferences']> {
  const number = (name: string): number | undefined => (form.has(name) ? Number(form.get(name)) : undefined);
  const checkpoints = numbered(form, 'Preferences.CheckpointPercentages.member').map(Number);
  const found = {
    minHealthyPercent: number('Preferences.MinHealthyPercentage'),
    maxHealthyPercent: number('Preferences.MaxHealthyPercentage'),
    skipMatching: form.has('Preferences.SkipMatching') ? form.get('Preferences.SkipMatching') === 'true' : undefined,
    checkpoints: checkpoints.length === 0 ? undefined : checkpoints,
    checkpointDelaySeconds: number('Preferences.CheckpointDelay'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** undefined: the request names no desired configuration. */
function templateOf(world: World, form: URLSearchParams): { id: string; version: string } | undefined {
  const of = (member: string): string | null => form.get(`DesiredConfiguration.LaunchTemplate.${member}`);
  const [id, name, version] = [of('LaunchTemplateId'), of('LaunchTemplateName'), of('Version') ?? '$Default'];
  if (id === null && name === null) return undefined;
  const template = world.eks.network.launchTemplates.find((each) => each.id === id || each.name === name);
  const there = template?.versions.some(({ number }) => String(number) === version) === true || version.startsWith('$');
  if (template === undefined || !there)
    throw invalid('You must use a valid fully-formed launch template. The specified launch template version does not exist.');
  return { id: template.id, version };
}

/** Newest first. */
export function describeInstanceRefreshes(world: World, form: URLSearchParams): Answer {
  const group = requireGroup(world, form);
  const ids = numbered(form, 'InstanceRefreshIds.member');
  const wanted = (group.refreshes ?? []).toReversed().filter(({ id }) => ids.length === 0 || ids.includes(id));
  const { items, token } = cut(wanted, form, { size: 'MaxRecords', token: 'NextToken' });
  return { InstanceRefreshes: items.map((refresh) => render(world, group, refresh)), NextToken: token };
}

function render(world: World, group: AutoScalingGroup, refresh: InstanceRefresh): XmlValue {
  const { launchTemplate, preferences, percentComplete, toUpdateCount = group.size } = refresh;
  const { checkpoints } = preferences;
  const left = Math.ceil((toUpdateCount * (100 - percentComplete)) / 100);
  const rolledBack = refresh.status.startsWith('Rollback');
  const name = world.eks.network.launchTemplates.find(({ id }) => id === launchTemplate.id)?.name;
  return {
    InstanceRefreshId: refresh.id,
    AutoScalingGroupName: group.name,
    Status: refresh.status,
    StatusReason: refresh.reason,
    StartTime: new Date(refresh.startedAtMs),
    EndTime: refresh.endedAtMs === undefined ? undefined : new Date(refresh.endedAtMs),
    PercentageComplete: percentComplete,
    InstancesToUpdate: left,
    ProgressDetails: rolledBack ? undefined : { LivePoolProgress: { PercentageComplete: percentComplete, InstancesToUpdate: left } },
    Preferences: {
      MinHealthyPercentage: preferences.minHealthyPercent,
      MaxHealthyPercentage: preferences.maxHealthyPercent,
      SkipMatching: preferences.skipMatching,
      AutoRollback: false,
      ScaleInProtectedInstances: 'Wait',
      StandbyInstances: 'Wait',
      ...(checkpoints.length === 0 ? {} : { CheckpointPercentages: checkpoints, CheckpointDelay: preferences.checkpointDelaySeconds }),
    },
    DesiredConfiguration: refresh.desired
      ? { LaunchTemplate: { LaunchTemplateId: launchTemplate.id, LaunchTemplateName: name, Version: launchTemplate.version } }
      : undefined,
    RollbackDetails: rolledBack
      ? { RollbackReason: 'Requested', PercentageCompleteOnRollback: percentComplete, InstancesToUpdateOnRollback: left }
      : undefined,
  };
}

/** A rollback, too, can be cancelled. */
export function cancelInstanceRefresh(world: World, form: URLSearchParams): Answer {
  const refresh = requireActive(requireGroup(world, form), ['Pending', 'InProgress', 'RollbackInProgress']);
  refresh.status = 'Cancelling';
  refresh.reason = 'Cancelled by customer.';
  return { InstanceRefreshId: refresh.id };
}

/** Only where the request named the launch template by its number. */
export function rollbackInstanceRefresh(world: World, form: URLSearchParams): Answer {
  const group = requireGroup(world, form);
  const refresh = requireActive(group, ['Pending', 'InProgress']);
  if (!refresh.desired || group.launchTemplate.version.startsWith('$') || namesParameter(world, group))
    throw new AwsError(
      400,
      'IrreversibleInstanceRefresh',
      'Cannot rollback: no desired configuration, the group uses $Latest or $Default, or its launch template uses a parameter as its image.',
    );
  refresh.status = 'RollbackInProgress';
  refresh.reason = 'Rollback requested by customer.';
  return { InstanceRefreshId: refresh.id };
}

/** Auto Scaling rolls back no refresh of such a group (Auto Scaling API reference, RefreshPreferences, AutoRollback). */
function namesParameter({ eks }: World, { launchTemplate: { id, version } }: AutoScalingGroup): boolean {
  const template = eks.network.launchTemplates.find((each) => each.id === id);
  const imageId = template?.versions.find(({ number }) => String(number) === version)?.imageId ?? '';
  return imageId.startsWith('resolve:ssm:');
}

function requireActive(group: AutoScalingGroup, statuses: readonly InstanceRefresh['status'][]): InstanceRefresh {
  const refresh = activeRefresh(group);
  if (refresh !== undefined && statuses.includes(refresh.status)) return refresh;
  throw new AwsError(
    400,
    'ActiveInstanceRefreshNotFound',
    `No in progress or pending Instance Refresh found for Auto Scaling group ${group.name}`,
  );
}
