/** EKS operations on add-ons. */
import type { World } from '../world/world.ts';
import { type Call, inUse, invalidParameter, notFound, pageOf, text } from './http.ts';
import { renderAddOn } from './render.ts';
import type { EksAddOn, EksState } from './state.ts';
import { mutate, noAddOn, requireCluster, runningUpdate } from './updates.ts';

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

export function describeAddonVersions(world: World, { query }: Call): Record<string, unknown> {
  const minor = query.get('kubernetesVersion');
  const name = query.get('addonName');
  const known = Object.entries(world.eks.addOnCatalogue);
  if (name !== null && !known.some(([addOn]) => addOn === name))
    throw notFound(`No addon versions found for addon: ${name}`, { addonName: name });
  const addons = known
    .filter(([addOn]) => name === null || addOn === name)
    .map(([addonName, versions]) => ({
      addonName,
      type: TYPES[addonName] ?? 'utility',
      owner: 'aws',
      publisher: 'eks',
      defaultNamespace: 'kube-system',
      addonVersions: versions.filter((v) => minor === null || v.minors.includes(minor)).map((v) => renderOffered(world.eks, v, minor)),
    }))
    .filter((addOn) => addOn.addonVersions.length > 0);
  const { items, nextToken } = pageOf(addons, query);
  return { addons: items, nextToken };
}

const TYPES: Record<string, string> = {
  'vpc-cni': 'networking',
  coredns: 'networking',
  'kube-proxy': 'networking',
  'aws-ebs-csi-driver': 'storage',
};

/** Compatibilities name only the minor that was asked for, as EKS does. */
function renderOffered(eks: EksState, offered: EksState['addOnCatalogue'][string][number], minor: string | null): Record<string, unknown> {
  const minors = minor === null ? offered.minors.filter((m) => eks.versions.some((v) => v.version === m)) : [minor];
  return {
    addonVersion: offered.version,
    architecture: ['amd64', 'arm64'],
    computeTypes: ['ec2', 'auto', 'hybrid'],
    compatibilities: minors.map((m) => ({ clusterVersion: m, platformVersions: ['*'], defaultVersion: offered.defaultFor.includes(m) })),
    requiresConfiguration: false,
    requiresIamPermissions: false,
  };
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
      if (runningUpdate(world, resource) !== undefined) {
        throw inUse(`Addon ${addOn.name} cannot be updated as it is currently in ${addOn.status} state`, {
          clusterName: world.eks.cluster.name,
          addonName: addOn.name,
        });
      }
      const version = text(body, 'addonVersion') ?? addOn.version;
      const offered = world.eks.addOnCatalogue[addOn.name]?.find((v) => v.version === version);
      if (offered === undefined || !offered.minors.includes(world.eks.cluster.version)) {
        throw invalidParameter('Addon version specified is not supported', { clusterName: world.eks.cluster.name, addonName: addOn.name });
      }
      const resolveConflicts = text(body, 'resolveConflicts') ?? 'NONE';
      if (!['NONE', 'OVERWRITE', 'PRESERVE'].includes(resolveConflicts))
        throw invalidParameter(`Unknown resolveConflicts ${resolveConflicts}`);
      const configurationValues = text(body, 'configurationValues');
      if (configurationValues !== undefined) addOn.configurationValues = configurationValues;
      return {
        type: 'AddonUpdate',
        params: [
          { type: 'AddonVersion', value: version },
          { type: 'ResolveConflicts', value: resolveConflicts },
        ],
      };
    },
  });
}
