/** EKS operations on the add-ons of a cluster. */
import type { World } from '../../../world/world.ts';
import { liesAbout } from '../../../world/faults/lies.ts';
import { refuseConfiguration } from './add-on-configuration.ts';
import { type AwsError, inUse, invalidParameter, invalidRequest } from '../errors.ts';
import { asRecord, type Call, pageOf, text } from '../http.ts';
import { mutate, runningUpdate } from '../mutate.ts';
import { renderAddOn } from '../render.ts';
import type { EksAddOn, EksUpdate } from '../state.ts';
import { noAddOn, requireCluster } from '../updates.ts';

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
      if (runningUpdate(world, resource) !== undefined && !liesAbout(world, 'eks', 'two-updates'))
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

/**
 * Without a role in the request the add-on uses the node's from then on: EKS API reference, UpdateAddon, serviceAccountRoleArn. Associations stay where they are left out, and an empty list takes them away (the same
 * reference). The configuration stays where it is left out: it says nothing of that, but Terraform's provider sends it only where it has changed.
 */
function changeSettings(world: World, addOn: EksAddOn, body: Record<string, unknown>): EksUpdate['params'] {
  const params: EksUpdate['params'] = [];
  const configurationValues = text(body, 'configurationValues');
  if (configurationValues !== undefined) {
    refuseConfiguration(addOn.name, configurationValues, { clusterName: world.eks.cluster.name, addonName: addOn.name });
    addOn.configurationValues = configurationValues;
    params.push({ type: 'ConfigurationValues', value: configurationValues });
  } else if (liesAbout(world, 'eks', 'addon-configuration-dropped')) delete addOn.configurationValues;
  const role = text(body, 'serviceAccountRoleArn');
  if (role === undefined) {
    if (!liesAbout(world, 'eks', 'addon-role-kept')) delete addOn.serviceAccountRoleArn;
  } else {
    addOn.serviceAccountRoleArn = role;
    params.push({ type: 'ServiceAccountRoleArn', value: role });
  }
  if (Array.isArray(body.podIdentityAssociations)) {
    addOn.podIdentityAssociations = body.podIdentityAssociations.map((each) => ({
      serviceAccount: text(asRecord(each) ?? {}, 'serviceAccount') ?? '',
      roleArn: text(asRecord(each) ?? {}, 'roleArn') ?? '',
    }));
    params.push({ type: 'PodIdentityAssociations', value: JSON.stringify(body.podIdentityAssociations) });
  }
  return params;
}
