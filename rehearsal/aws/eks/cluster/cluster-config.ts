/** UpdateClusterConfig: one kind of change per request, each an update of its own type. */
import type { World } from '../../../world/world.ts';
import { type AwsError, inUse, invalidParameter, invalidRequest } from '../errors.ts';
import { asRecord, type Call, strings, structure, text } from '../http.ts';
import { mutate, runningUpdate } from '../mutate.ts';
import { LOG_TYPES } from '../render.ts';
import type { EksState, EksUpdate } from '../state.ts';
import { requireCluster } from '../updates.ts';

type Cluster = EksState['cluster'];
type Change = Pick<EksUpdate, 'type' | 'params' | 'takesEffect'>;

const CLUSTER = { kind: 'cluster' } as const;

/** Kinds of change, by the request's member. */
const CHANGES: Record<string, (world: World, body: Record<string, unknown>) => Change> = {
  logging: changeLogging,
  upgradePolicy: changeUpgradePolicy,
  resourcesVpcConfig: changeVpc,
  accessConfig: changeAccess,
  zonalShiftConfig: (world, body) =>
    toggle(world, 'zonalShift', structure(body, 'zonalShiftConfig')?.enabled, 'ZonalShiftConfigUpdate', 'ZonalShiftConfig'),
  computeConfig: (world, body) => toggle(world, 'autoMode', structure(body, 'computeConfig')?.enabled, 'AutoModeUpdate', 'ComputeConfig'),
  deletionProtection: (world, body) =>
    toggle(world, 'deletionProtection', body.deletionProtection, 'DeletionProtectionUpdate', 'DeletionProtection'),
};

export function updateClusterConfig(world: World, { path, body }: Call): Promise<Record<string, unknown>> {
  requireCluster(world, path[0]);
  return mutate(world, {
    operation: 'UpdateClusterConfig',
    resource: CLUSTER,
    body,
    begin() {
      const { cluster } = world.eks;
      const running = runningUpdate(world, CLUSTER);
      if (running !== undefined)
        throw inUse(`Cannot ConfigUpdate because cluster ${cluster.name} currently has update ${running.id} in progress`, {
          clusterName: cluster.name,
        });
      if (cluster.status !== 'ACTIVE') throw invalidRequest(`The cluster ${cluster.name} is ${cluster.status}; it must be ACTIVE.`);
      const asked = Object.keys(CHANGES).filter((member) => body[member] !== undefined);
      if (asked.length > 1) throw refused(world, 'Only one type of update can be allowed.');
      const change = CHANGES[asked[0] ?? ''];
      if (change === undefined) throw refused(world, 'The type for cluster update was not provided.');
      return change(world, body);
    },
  });
}

const refused = (world: World, message: string): AwsError => invalidParameter(message, { clusterName: world.eks.cluster.name });

function changeLogging(world: World, body: Record<string, unknown>): Change {
  const { cluster } = world.eks;
  const logging = structure(body, 'logging') ?? {};
  const wanted = new Set(cluster.logging);
  const setups = Array.isArray(logging.clusterLogging) ? logging.clusterLogging : [];
  for (const setup of setups.map((each) => asRecord(each) ?? {})) {
    for (const type of strings(setup, 'types') ?? []) {
      if (!LOG_TYPES.includes(type)) throw refused(world, `Unsupported log type ${type}.`);
      if (setup.enabled === true) wanted.add(type);
      else wanted.delete(type);
    }
  }
  const next = LOG_TYPES.filter((type) => wanted.has(type));
  if (next.length === cluster.logging.length && next.every((type) => cluster.logging.includes(type)))
    throw refused(world, 'No changes needed for the logging config provided');
  return {
    type: 'LoggingUpdate',
    params: [{ type: 'ClusterLogging', value: JSON.stringify(logging) }],
    takesEffect: () => (cluster.logging = next),
  };
}

/** EKS shows the policy at once. */
function changeUpgradePolicy(world: World, body: Record<string, unknown>): Change {
  const upgradePolicy = structure(body, 'upgradePolicy') ?? {};
  const supportType = text(upgradePolicy, 'supportType');
  if (supportType !== 'STANDARD' && supportType !== 'EXTENDED') throw refused(world, 'supportType must be STANDARD or EXTENDED.');
  world.eks.cluster.supportType = supportType;
  return { type: 'UpgradePolicyUpdate', params: [{ type: 'UpgradePolicy', value: JSON.stringify(upgradePolicy) }] };
}

function changeVpc(world: World, body: Record<string, unknown>): Change {
  const { cluster } = world.eks;
  const config = structure(body, 'resourcesVpcConfig') ?? {};
  const subnetIds = strings(config, 'subnetIds');
  const securityGroupIds = strings(config, 'securityGroupIds');
  if (subnetIds !== undefined || securityGroupIds !== undefined) return changeNetwork(world, { subnetIds, securityGroupIds });
  const next = {
    endpointPublicAccess: (config.endpointPublicAccess as boolean | undefined) ?? cluster.endpointPublicAccess,
    endpointPrivateAccess: (config.endpointPrivateAccess as boolean | undefined) ?? cluster.endpointPrivateAccess,
    publicAccessCidrs: strings(config, 'publicAccessCidrs') ?? cluster.publicAccessCidrs,
  };
  if (Object.entries(next).every(([key, value]) => JSON.stringify(cluster[key as keyof Cluster]) === JSON.stringify(value)))
    throw refused(
      world,
      `Cluster is already at the desired configuration with endpointPrivateAccess: ${next.endpointPrivateAccess} , endpointPublicAccess: ${next.endpointPublicAccess}, and Public Endpoint Restrictions: [${next.publicAccessCidrs.join(', ')}]`,
    );
  return {
    type: 'EndpointAccessUpdate',
    params: [
      { type: 'EndpointPublicAccess', value: String(next.endpointPublicAccess) },
      { type: 'EndpointPrivateAccess', value: String(next.endpointPrivateAccess) },
      { type: 'PublicAccessCidrs', value: JSON.stringify(next.publicAccessCidrs) },
    ],
    takesEffect: () => Object.assign(cluster, next),
  };
}

function changeNetwork(world: World, { subnetIds, securityGroupIds }: { subnetIds?: string[]; securityGroupIds?: string[] }): Change {
  const { cluster, network } = world.eks;
  const unknown =
    subnetIds?.find((id) => !network.subnets.some((s) => s.id === id)) ??
    securityGroupIds?.find((id) => !network.securityGroups.some((g) => g.id === id));
  if (unknown !== undefined) throw refused(world, `The ID '${unknown}' does not exist`);
  return {
    type: 'VpcConfigUpdate',
    params: [
      ...(subnetIds === undefined ? [] : [{ type: 'Subnets', value: JSON.stringify(subnetIds) }]),
      ...(securityGroupIds === undefined ? [] : [{ type: 'SecurityGroups', value: JSON.stringify(securityGroupIds) }]),
    ],
    takesEffect() {
      cluster.subnetIds = subnetIds ?? cluster.subnetIds;
      cluster.securityGroupIds = securityGroupIds ?? cluster.securityGroupIds;
    },
  };
}

/** From the ConfigMap towards access entries; never back. */
const MODES = ['CONFIG_MAP', 'API_AND_CONFIG_MAP', 'API'];

function changeAccess(world: World, body: Record<string, unknown>): Change {
  const { cluster } = world.eks;
  const mode = text(structure(body, 'accessConfig') ?? {}, 'authenticationMode') ?? '';
  if (!MODES.includes(mode)) throw refused(world, `Unsupported authentication mode ${mode}.`);
  if (MODES.indexOf(mode) <= MODES.indexOf(cluster.authenticationMode))
    throw refused(world, `Unsupported authentication mode update from ${cluster.authenticationMode} to ${mode}`);
  return {
    type: 'AccessConfigUpdate',
    params: [{ type: 'AuthenticationMode', value: mode }],
    takesEffect: () => (cluster.authenticationMode = mode),
  };
}

function toggle(
  world: World,
  member: 'zonalShift' | 'autoMode' | 'deletionProtection',
  on: unknown,
  type: string,
  paramType: string,
): Change {
  if (typeof on !== 'boolean') throw refused(world, `${paramType} must say whether it is enabled.`);
  const value = member === 'deletionProtection' ? String(on) : JSON.stringify({ enabled: on });
  return { type, params: [{ type: paramType, value }], takesEffect: () => (world.eks.cluster[member] = on) };
}
