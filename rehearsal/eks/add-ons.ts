/** EKS operations on the add-ons of a cluster. */
import type { World } from '../world/world.ts';
import { refuseConfiguration } from './add-on-configuration.ts';
import { type AwsError, inUse, invalidParameter, invalidRequest } from './errors.ts';
import { asRecord, type Call, pageOf, text } from './http.ts';
import { mutate, runningUpdate } from './mutate.ts';
import { renderAddOn, uuidOf } from './render.ts';
import type { EksAddOn, EksUpdate } from './state.ts';
import { noAddOn, requireCluster } from './updates.ts';

function requireAddOn(world: World, { path }: Call): EksAddOn {
  requireCluster(world, path[0]);
  const addOn = world.eks.addOns.find((a) => a.name === path[1]);
  if (addOn === undefined) throw noAddOn(world, path[1]);
  return addOn;
}

export function listAddons(world: World, { path, query }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const { items, nextToken } = pageOf(
    world.eks.addOns.map((a) => a.name),
    query,
  );
  return { addons: items, nextToken };
}

export function describeAddon(world: World, call: Call): Record<string, unknown> {
  return { addon: renderAddOn(world.eks, requireAddOn(world, call)) };
}

export function updateAddon(world: World, call: Call): Promise<Record<string, unknown>> {
  const addOn = requireAddOn(world, call);
  const { body } = call;
  const resource = { kind: 'add-on', name: addOn.name } as const;
  return mutate(world, {
    operation: 'UpdateAddon',
    resource,
    body,
    begin() {
      const { cluster, addOnCatalogue } = world.eks;
      const members = { clusterName: cluster.name, addonName: addOn.name };
      const refuse = (message: string): AwsError => invalidParameter(message, members);
      if (runningUpdate(world, resource) !== undefined)
        throw inUse(`Addon ${addOn.name} cannot be updated as it is currently in ${addOn.status} state`, members);
      if (cluster.status !== 'ACTIVE')
        throw invalidRequest(`Addon ${addOn.name} cannot be updated while the cluster is ${cluster.status}`, members);
      const version = text(body, 'addonVersion') ?? addOn.version;
      // Any compatible version is taken, the VPC CNI's too: that it goes one minor at a time is a recommendation of the user guide.
      const offered = addOnCatalogue[addOn.name]?.find((v) => v.version === version);
      if (offered === undefined || !offered.minors.includes(cluster.version)) throw refuse('Addon version specified is not supported');
      const resolveConflicts = text(body, 'resolveConflicts') ?? 'NONE';
      if (!['NONE', 'OVERWRITE', 'PRESERVE'].includes(resolveConflicts)) throw refuse(`Unknown resolveConflicts ${resolveConflicts}`);
      const settings = changeSettings(world, addOn, body);
      return {
        type: 'AddonUpdate',
        params: [{ type: 'AddonVersion', value: version }, { type: 'ResolveConflicts', value: resolveConflicts }, ...settings],
      };
    },
  });
}

/** What is not in the request stays as it is; an empty list of associations takes them away. */
function changeSettings(world: World, addOn: EksAddOn, body: Record<string, unknown>): EksUpdate['params'] {
  const params: EksUpdate['params'] = [];
  const configurationValues = text(body, 'configurationValues');
  if (configurationValues !== undefined) {
    refuseConfiguration(addOn.name, configurationValues, { clusterName: world.eks.cluster.name, addonName: addOn.name });
    addOn.configurationValues = configurationValues;
    params.push({ type: 'ConfigurationValues', value: configurationValues });
  }
  const role = text(body, 'serviceAccountRoleArn');
  if (role !== undefined) {
    addOn.serviceAccountRoleArn = role;
    params.push({ type: 'ServiceAccountRoleArn', value: role });
  }
  if (Array.isArray(body.podIdentityAssociations)) {
    const { region, account, name } = world.eks.cluster;
    const accounts = body.podIdentityAssociations.map((each) => text(asRecord(each) ?? {}, 'serviceAccount') ?? '');
    addOn.podIdentityAssociations = accounts.map(
      (of) =>
        `arn:aws:eks:${region}:${account}:podidentityassociation/${name}/a-${uuidOf(`${addOn.name}/${of}`).replaceAll('-', '').slice(0, 17)}`,
    );
    params.push({ type: 'PodIdentityAssociations', value: JSON.stringify(body.podIdentityAssociations) });
  }
  return params;
}
