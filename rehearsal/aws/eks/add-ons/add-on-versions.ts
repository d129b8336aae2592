/** Which add-ons EKS offers, in which versions for which minors. */
import type { World } from '../../../world/world.ts';
import { notFound } from '../errors.ts';
import { type Call, pageOf } from '../http.ts';
import type { EksState } from '../state.ts';

/** As DescribeAddonVersions sorts them, and whether their Pods need an IAM role. */
const KINDS: Record<string, { type: string; iam: boolean }> = {
  'vpc-cni': { type: 'networking', iam: true },
  coredns: { type: 'networking', iam: false },
  'kube-proxy': { type: 'networking', iam: false },
  'aws-ebs-csi-driver': { type: 'storage', iam: true },
};

export function describeAddonVersions(world: World, { query }: Call): Record<string, unknown> {
  const minor = query.get('kubernetesVersion');
  const name = query.get('addonName');
  const known = Object.entries(world.eks.addOnCatalogue);
  if (name !== null && !known.some(([addOn]) => addOn === name))
    throw notFound(`No addon versions found for addon: ${name}`, { addonName: name });
  const passes = (member: string, value: string): boolean => !query.has(member) || query.getAll(member).includes(value);
  const addons = known
    .filter(([addOn]) => name === null || addOn === name)
    .map(([addonName, versions]) => ({
      addonName,
      type: KINDS[addonName]?.type ?? 'utility',
      owner: 'aws',
      publisher: 'eks',
      defaultNamespace: 'kube-system',
      addonVersions: versions
        .filter((v) => minor === null || v.minors.includes(minor))
        .map((v) => renderOffered(world.eks, v, minor, KINDS[addonName]?.iam ?? false)),
    }))
    .filter((addOn) => addOn.addonVersions.length > 0)
    .filter((addOn) => passes('types', addOn.type) && passes('publishers', addOn.publisher) && passes('owners', addOn.owner));
  const { items, nextToken } = pageOf(addons, query);
  return { addons: items, nextToken };
}

/** Compatibilities name only the minor that was asked for, as EKS does. */
function renderOffered(
  eks: EksState,
  offered: EksState['addOnCatalogue'][string][number],
  minor: string | null,
  iam: boolean,
): Record<string, unknown> {
  const minors = minor === null ? offered.minors.filter((m) => eks.versions.some((v) => v.version === m)) : [minor];
  return {
    addonVersion: offered.version,
    architecture: ['amd64', 'arm64'],
    computeTypes: ['ec2', 'auto', 'hybrid'],
    compatibilities: minors.map((m) => ({ clusterVersion: m, platformVersions: ['*'], defaultVersion: offered.defaultFor.includes(m) })),
    requiresConfiguration: false,
    requiresIamPermissions: iam,
  };
}
