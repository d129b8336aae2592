/** EKS operations that read managed node groups and move them to a version. */
import type { World } from '../../../world/world.ts';
import { archOf, familyOf, latestAmi, releaseVersionOf } from './amis.ts';
import { minorOf } from '../catalogue.ts';
import { type AwsError, inUse, invalidParameter } from '../errors.ts';
import { type Call, pageOf, structure, text } from '../http.ts';
import { mutate, runningUpdate } from '../mutate.ts';
import { renderNodeGroup } from '../render.ts';
import { rollbackOpen, rolledUpFrom } from '../cluster/rollback.ts';
import type { EksNodeGroup, EksUpdate } from '../state.ts';
import { noNodeGroup, requireCluster } from '../updates.ts';

export function requireNodeGroup(world: World, { path }: Pick<Call, 'path'>): EksNodeGroup {
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

export const members = (world: World, group: string): Record<string, string> => ({
  clusterName: world.eks.cluster.name,
  nodegroupName: group,
});

/** Throws where the group is neither ACTIVE nor DEGRADED, or is being updated. */
export function refuseBusy(world: World, group: EksNodeGroup): void {
  const running = runningUpdate(world, { kind: 'node-group', name: group.name });
  if ((group.status !== 'ACTIVE' && group.status !== 'DEGRADED') || running !== undefined)
    throw inUse('Nodegroup cannot be updated as it is currently not in Active State', members(world, group.name));
}

export function updateNodegroupVersion(world: World, call: Call): Promise<Record<string, unknown>> {
  const group = requireNodeGroup(world, call);
  const { body } = call;
  return mutate(world, {
    operation: 'UpdateNodegroupVersion',
    resource: { kind: 'node-group', name: group.name },
    body,
    begin() {
      refuseBusy(world, group);
      const params = group.amiType === 'CUSTOM' ? customParams(world, group, body) : releaseParams(world, group, body);
      return { type: 'VersionUpdate', params, force: body.force === true };
    },
  });
}

const refused = (world: World, group: EksNodeGroup, message: string): AwsError => invalidParameter(message, members(world, group.name));

/** A launch template with an own AMI decides the kubelet: only a new template version can be asked for. */
function customParams(world: World, group: EksNodeGroup, body: Record<string, unknown>): EksUpdate['params'] {
  for (const [member, field] of [
    ['version', 'kubernetesVersion'],
    ['releaseVersion', 'releaseVersion'],
  ] as const) {
    if (body[member] !== undefined) throw refused(world, group, `You cannot specify the field ${field} when using custom AMIs.`);
  }
  const template = templateParams(world, group, body);
  if (template.length === 0) throw refused(world, group, "Launch template details can't be null for Custom ami type node group");
  return template;
}

/** The template stays the one that the group was made with; only its version changes. */
function templateParams(world: World, group: EksNodeGroup, body: Record<string, unknown>): EksUpdate['params'] {
  const asked = structure(body, 'launchTemplate');
  if (asked === undefined) return [];
  const present = group.launchTemplate;
  if (present === undefined) throw refused(world, group, 'You cannot specify a launch template: the node group was not created with one.');
  const [id, name] = [text(asked, 'id'), text(asked, 'name')];
  if ((id === undefined) === (name === undefined))
    throw refused(world, group, 'Either the id or the name of the launch template must be given.');
  const known = world.eks.network.launchTemplates.find((t) => t.id === present.id || t.name === present.name);
  if ((id !== undefined && id !== (present.id ?? known?.id)) || (name !== undefined && name !== (present.name ?? known?.name)))
    throw refused(world, group, `Launch template ${id ?? name} is not the one that the node group was created with.`);
  const version = text(asked, 'version') ?? String(known?.defaultVersion ?? '$Default');
  const found = known?.versions.find((v) => String(v.number) === version);
  if (known !== undefined && found === undefined)
    throw refused(world, group, `Launch template version ${version} of ${known.id} does not exist.`);
  if (found !== undefined && (found.imageId !== undefined) !== (group.amiType === 'CUSTOM'))
    throw refused(world, group, `The AMI type of a node group cannot change: it is ${group.amiType}.`);
  if (version === present.version) throw refused(world, group, `The node group already uses launch template version ${version}.`);
  return [{ type: 'LaunchTemplateVersion', value: version }];
}

/** Amazon Linux 2 ends with Kubernetes 1.32. */
const refusedAl2 = (amiType: string): string => `AMI Type ${amiType} is only supported for kubernetes versions 1.32 or earlier`;

function releaseParams(world: World, group: EksNodeGroup, body: Record<string, unknown>): EksUpdate['params'] {
  const cluster = world.eks.cluster.version;
  const template = templateParams(world, group, body);
  // Without a version the group stays at its minor and takes the newest image.
  const version = text(body, 'version') ?? group.version;
  if (!/^1\.\d+$/.test(version)) throw refused(world, group, 'version must be a Kubernetes minor version such as 1.32.');
  if (minorOf(version) > minorOf(cluster))
    throw refused(world, group, `Nodegroup Kubernetes version ${version} must not be newer than the cluster's version ${cluster}.`);
  if (minorOf(version) < minorOf(group.version) && !(rollbackOpen(world) && version === rolledUpFrom(world)))
    throw refused(world, group, `Nodegroup Kubernetes version ${version} must not be older than its present version ${group.version}.`);
  const ami = latestAmi(familyOf(group.amiType), version, world.clock.now(), archOf(group.amiType), world.eks.images);
  if (ami === undefined) throw refused(world, group, refusedAl2(group.amiType));
  const releaseVersion = releaseVersionOf(ami);
  const asked = text(body, 'releaseVersion');
  if (asked !== undefined && asked !== releaseVersion)
    throw refused(world, group, `Requested Nodegroup release version ${asked} is invalid. Allowed release version is ${releaseVersion}`);
  return [{ type: 'Version', value: version }, { type: 'ReleaseVersion', value: releaseVersion }, ...template];
}
