/** CreateNodegroup and DeleteNodegroup: how a blue/green replacement begins and ends. */
import type { World } from '../../../world/world.ts';
import { archOf, familyOf, latestAmi, releaseVersionOf } from './amis.ts';
import { minorOf } from '../catalogue.ts';
import { type AwsError, eksError, inUse, invalidParameter } from '../errors.ts';
import { type Call, stringMap, strings, structure, text } from '../http.ts';
import { once, runningUpdate } from '../mutate.ts';
import { pace, readTaints, scaling } from './node-group-config.ts';
import { members, requireNodeGroup } from './node-groups.ts';
import { renderNodeGroup } from '../render.ts';
import type { EksNodeGroup } from '../state.ts';
import { requireCluster } from '../updates.ts';

/** AMITypes of the service model. */
const AMI_TYPES =
  /^(AL2_x86_64|AL2_x86_64_GPU|AL2_ARM_64|CUSTOM|BOTTLEROCKET_(ARM_64|x86_64)(_FIPS|_NVIDIA|_NVIDIA_FIPS)?|WINDOWS_(CORE|FULL)_20(19|22|25)_x86_64|AL2023_(x86_64_(STANDARD|NEURON|NVIDIA)|ARM_64_(STANDARD|NVIDIA)))$/;
/** Service quota L-6D54EA21, managed node groups per cluster. */
const MAX_GROUPS = 30;
/** Kubelets may lag behind the API server by this much. */
const SKEW_LIMIT = 3;

export function createNodegroup(world: World, { path, body }: Call): Promise<Record<string, unknown>> {
  requireCluster(world, path[0]);
  const name = text(body, 'nodegroupName') ?? '';
  return once(world, { operation: 'CreateNodegroup', resource: { kind: 'node-group', name }, body }, () => {
    const { eks } = world;
    const refuse = (message: string): AwsError => invalidParameter(message, members(world, name));
    if (!/^[0-9A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name)) throw refuse(`Invalid nodegroup name ${name}.`);
    if (eks.nodeGroups.some((g) => g.name === name))
      throw inUse(`NodeGroup already exists with name ${name} and cluster name ${eks.cluster.name}`, members(world, name));
    if (eks.nodeGroups.length >= MAX_GROUPS)
      throw eksError(
        'ResourceLimitExceededException',
        `Cluster ${eks.cluster.name} has ${MAX_GROUPS} node groups, which is the limit.`,
        members(world, name),
      );
    const group = described(world, body, name, refuse);
    eks.nodeGroups.push(group);
    const tags = stringMap(body, 'tags');
    const answer = (): Record<string, unknown> => ({ nodegroup: renderNodeGroup(eks, group) });
    if (tags !== undefined) eks.tags[String(renderNodeGroup(eks, group).nodegroupArn)] = tags;
    world.journal.tell(`EKS creates node group ${name} at ${group.version}`);
    return { answer };
  });
}

function described(world: World, body: Record<string, unknown>, name: string, refuse: (message: string) => AwsError): EksNodeGroup {
  const { cluster, network } = world.eks;
  const subnetIds = strings(body, 'subnets') ?? [];
  if (subnetIds.length === 0) throw refuse('Subnets must be given.');
  const unknown = subnetIds.find((id) => !network.subnets.some((s) => s.id === id));
  if (unknown !== undefined) throw refuse(`The subnet ID '${unknown}' does not exist`);
  const nodeRole = text(body, 'nodeRole') ?? '';
  if (!/^arn:aws[a-z-]*:iam::\d{12}:role\/.+/.test(nodeRole)) throw refuse(`The role with name ${nodeRole} cannot be found.`);
  const template = structure(body, 'launchTemplate');
  const launchTemplate = template && { id: text(template, 'id'), name: text(template, 'name'), version: text(template, 'version') };
  const known = network.launchTemplates.find((t) => t.id === launchTemplate?.id || t.name === launchTemplate?.name);
  const custom = known?.versions.find((v) => String(v.number) === (launchTemplate?.version ?? String(known.defaultVersion)))?.imageId;
  if (custom !== undefined && body.version !== undefined)
    throw refuse('You cannot specify a kubernetes version to use when specifying an image id to use within the launch template.');
  const version = text(body, 'version') ?? cluster.version;
  const skew = minorOf(cluster.version) - minorOf(version);
  if (!/^1\.\d+$/.test(version) || skew < 0 || skew > SKEW_LIMIT)
    throw refuse(`Requested Kubernetes version ${version} is not supported with the cluster's version ${cluster.version}.`);
  const amiType = custom === undefined ? (text(body, 'amiType') ?? 'AL2023_x86_64_STANDARD') : 'CUSTOM';
  if (!AMI_TYPES.test(amiType)) throw refuse(`AMI Type ${amiType} is not valid.`);
  const ami = latestAmi(familyOf(amiType), version, world.clock.now(), archOf(amiType), world.eks.images);
  if (ami === undefined) throw refuse(`AMI Type ${amiType} is only supported for kubernetes versions 1.32 or earlier`);
  const sizes = { minSize: 1, maxSize: 2, desiredSize: 2 };
  return {
    name,
    version,
    releaseVersion: custom ?? releaseVersionOf(ami),
    amiType,
    status: 'CREATING',
    ...sizes,
    ...scaling(structure(body, 'scalingConfig'), sizes).changed,
    maxUnavailable: 1,
    ...pace(structure(body, 'updateConfig')).changed,
    labels: stringMap(body, 'labels') ?? {},
    taints: readTaints(body.taints),
    health: [],
    capacityType: text(body, 'capacityType') ?? 'ON_DEMAND',
    ...(launchTemplate === undefined ? { instanceTypes: strings(body, 'instanceTypes') ?? ['t3.medium'] } : { launchTemplate }),
    subnetIds,
    nodeRole,
    nodeRepair: structure(body, 'nodeRepairConfig'),
    createdAtMs: world.clock.nowMs(),
  };
}

/** Its nodes are drained first; the group is there until the last is gone. */
export function deleteNodegroup(world: World, call: Call): Promise<Record<string, unknown>> {
  const group = requireNodeGroup(world, call);
  const resource = { kind: 'node-group', name: group.name } as const;
  return once(world, { operation: 'DeleteNodegroup', resource, body: {} }, () => {
    const running = runningUpdate(world, resource);
    if (running !== undefined)
      throw inUse(`Nodegroup ${group.name} cannot be deleted while update ${running.id} is in progress`, members(world, group.name));
    if (group.status === 'DELETING') throw inUse(`Nodegroup ${group.name} is being deleted already`, members(world, group.name));
    group.status = 'DELETING';
    world.journal.tell(`EKS deletes node group ${group.name}`);
    return { answer: () => ({ nodegroup: renderNodeGroup(world.eks, group) }) };
  });
}
