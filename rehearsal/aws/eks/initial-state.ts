/** EKS's side of a cluster before a scenario fills it. */
import { defaultNetwork } from '../network.ts';
import { addOnCatalogue, offeredVersions, platformVersionOf } from './catalogue.ts';
import type { EksState } from './state.ts';

const CLUSTER_AGE_MS = 400 * 24 * 3_600_000;

/** The API server's address and certificate are filled in by whoever starts it. `startsAt`: ISO 8601. */
export function initialEksState(
  { name: key, eksName: name = key, account, region }: { name: string; eksName?: string; account: string; region: string },
  { version, startsAt }: { version: string; startsAt: string },
): EksState {
  const at = new Date(startsAt);
  const network = defaultNetwork({ name, region });
  return {
    cluster: {
      name,
      account,
      region,
      version,
      platformVersion: platformVersionOf(version),
      status: 'ACTIVE',
      endpoint: 'https://127.0.0.1:0',
      caData: '',
      supportType: 'EXTENDED',
      health: [],
      createdAtMs: at.getTime() - CLUSTER_AGE_MS,
      roleArn: `arn:aws:iam::${account}:role/eks-${name}`,
      keyArn: `arn:aws:kms:${region}:${account}:key/7c1f3b52-0000-4000-8000-00000000e4c5`,
      subnetIds: network.subnets.map(({ id }) => id),
      securityGroupIds: network.securityGroups.slice(0, 1).map(({ id }) => id),
      clusterSecurityGroupId: network.securityGroups.at(-1)?.id ?? '',
      endpointPublicAccess: true,
      endpointPrivateAccess: true,
      publicAccessCidrs: ['0.0.0.0/0'],
      logging: [],
      authenticationMode: 'API_AND_CONFIG_MAP',
      autoMode: false,
      zonalShift: false,
      deletionProtection: false,
    },
    assumed: [],
    nodeGroups: [],
    addOns: [],
    fargateProfiles: [],
    capabilities: [],
    controllerRoles: [],
    updates: [],
    insights: [],
    deprecatedCalls: [],
    tags: { [`arn:aws:eks:${region}:${account}:cluster/${name}`]: { Environment: name } },
    network,
    versions: offeredVersions(at),
    addOnCatalogue: addOnCatalogue(),
  };
}
