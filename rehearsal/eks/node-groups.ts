/** EKS operations on managed node groups. */
import type { World } from '../world/world.ts';
import { familyOf, latestAmi, releaseVersionOf } from './amis.ts';
import { minorOf } from './catalogue.ts';
import { type Call, inUse, invalidParameter, notFound, pageOf, text } from './http.ts';
import { renderNodeGroup } from './render.ts';
import type { EksNodeGroup } from './state.ts';
import { mutate, noNodeGroup, requireCluster, runningUpdate } from './updates.ts';

function requireNodeGroup(world: World, { path }: Call): EksNodeGroup {
  requireCluster(world, path[0]);
  const group = world.eks.nodeGroups.find((g) => g.name === path[1]);
  if (group === undefined) throw noNodeGroup(world, path[1]);
  return group;
}

export function listNodegroups(world: World, { path, query }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const { items, nextToken } = pageOf(
    world.eks.nodeGroups.map((g) => g.name),
    query,
  );
  return { nodegroups: items, nextToken };
}

export function describeNodegroup(world: World, call: Call): Record<string, unknown> {
  return { nodegroup: renderNodeGroup(world.eks, requireNodeGroup(world, call)) };
}

export function updateNodegroupVersion(world: World, call: Call): Promise<Record<string, unknown>> {
  const group = requireNodeGroup(world, call);
  const { body } = call;
  const resource = { kind: 'node-group', name: group.name } as const;
  return mutate(world, {
    operation: 'UpdateNodegroupVersion',
    resource,
    body,
    begin() {
      if ((group.status !== 'ACTIVE' && group.status !== 'DEGRADED') || runningUpdate(world, resource) !== undefined) {
        throw inUse('Nodegroup cannot be updated as it is currently not in Active State', {
          clusterName: world.eks.cluster.name,
          nodegroupName: group.name,
        });
      }
      const force = body.force === true;
      const params = group.amiType === 'CUSTOM' ? customParams(group, body) : releaseParams(world, group, body);
      return { type: 'VersionUpdate', params, force };
    },
  });
}

/** A launch template with an own AMI decides the kubelet: only a new template version can be asked for. */
function customParams(group: EksNodeGroup, body: Record<string, unknown>): { type: string; value: string }[] {
  if (body.version !== undefined || body.releaseVersion !== undefined) {
    throw invalidParameter(
      'You cannot specify an AMI version or Kubernetes version for a node group with a custom AMI in its launch template.',
    );
  }
  const template = body.launchTemplate;
  const version = typeof template === 'object' && template !== null && 'version' in template ? String(template.version) : undefined;
  if (version === undefined) throw invalidParameter('launchTemplate with a version is required for a node group with a custom AMI.');
  if (version === group.launchTemplate?.version) throw invalidParameter(`The node group already uses launch template version ${version}.`);
  return [{ type: 'LaunchTemplateVersion', value: version }];
}

function releaseParams(world: World, group: EksNodeGroup, body: Record<string, unknown>): { type: string; value: string }[] {
  const cluster = world.eks.cluster.version;
  const version = text(body, 'version') ?? cluster;
  if (!/^1\.\d+$/.test(version)) throw invalidParameter('version must be a Kubernetes minor version such as 1.32.');
  if (minorOf(version) > minorOf(cluster)) {
    throw invalidParameter(`Nodegroup Kubernetes version ${version} must not be newer than the cluster's version ${cluster}.`);
  }
  if (minorOf(version) < minorOf(group.version)) {
    throw invalidParameter(`Nodegroup Kubernetes version ${version} must not be older than its present version ${group.version}.`);
  }
  const ami = latestAmi(familyOf(group.amiType), version, world.clock.now());
  if (ami === undefined) throw invalidParameter(`AMI type ${group.amiType} is not supported for Kubernetes version ${version}.`);
  const releaseVersion = releaseVersionOf(ami);
  const asked = text(body, 'releaseVersion');
  if (asked !== undefined && asked !== releaseVersion) {
    throw invalidParameter(`Requested Nodegroup release version ${asked} is invalid. Allowed release version is ${releaseVersion}`);
  }
  return [
    { type: 'Version', value: version },
    { type: 'ReleaseVersion', value: releaseVersion },
  ];
}

export function updateNodegroupConfig(world: World, call: Call): Promise<Record<string, unknown>> {
  const group = requireNodeGroup(world, call);
  const { body } = call;
  const resource = { kind: 'node-group', name: group.name } as const;
  return mutate(world, {
    operation: 'UpdateNodegroupConfig',
    resource,
    body,
    begin() {
      if (runningUpdate(world, resource) !== undefined) throw inUse('Nodegroup cannot be updated as it is currently not in Active State');
      const params: { type: string; value: string }[] = [];
      const config = numbers(body.updateConfig);
      const scaling = numbers(body.scalingConfig);
      if (config.maxUnavailable !== undefined && config.maxUnavailablePercentage !== undefined) {
        throw invalidParameter('Only one of maxUnavailable and maxUnavailablePercentage can be set.');
      }
      if (config.maxUnavailable !== undefined || config.maxUnavailablePercentage !== undefined) {
        group.maxUnavailable = config.maxUnavailable;
        group.maxUnavailablePercentage = config.maxUnavailablePercentage;
      }
      if (config.maxUnavailable !== undefined) params.push({ type: 'MaxUnavailable', value: String(config.maxUnavailable) });
      if (config.maxUnavailablePercentage !== undefined) {
        params.push({ type: 'MaxUnavailablePercentage', value: String(config.maxUnavailablePercentage) });
      }
      for (const [member, type] of [
        ['minSize', 'MinSize'],
        ['maxSize', 'MaxSize'],
        ['desiredSize', 'DesiredSize'],
      ] as const) {
        const value = scaling[member];
        if (value === undefined) continue;
        group[member] = value;
        params.push({ type, value: String(value) });
      }
      if (params.length === 0) throw invalidParameter('Nothing to update: give updateConfig or scalingConfig.');
      return { type: 'ConfigUpdate', params };
    },
  });
}

function numbers(value: unknown): Record<string, number | undefined> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

export function listFargateProfiles(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  return { fargateProfileNames: [] };
}

export function listTags(world: World, { path }: Call): Record<string, unknown> {
  if (!path[0]?.startsWith('arn:aws:eks:')) throw notFound(`No resource found for ARN ${path[0]}`);
  return { tags: { Environment: world.eks.cluster.name } };
}
