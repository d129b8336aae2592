/** Version, status and health of a cluster, node group or add-on, in one shape. */
import type { HealthIssue } from '../../../domain/facts/facts.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { describeAddon, describeCluster, describeNodegroup, nameOf } from '../../clients/aws/eks-api.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { UpdateResource } from '../../contract/eks.ts';

export interface ResourceState {
  version: string;
  status: string;
  health: HealthIssue[];
  /** A node group with an image of its own: EKS does not know its version. */
  ownImage: boolean;
}

export async function readResource(aws: AwsClients, ref: ClusterRef, resource: UpdateResource): Promise<ResourceState> {
  switch (resource.kind) {
    case 'cluster': {
      const cluster = await describeCluster(aws, ref);
      return { ...common(cluster.version, cluster.status), health: healthIssues(cluster.health?.issues) };
    }
    case 'node-group': {
      const group = await describeNodegroup(aws, ref, resource.name);
      return {
        ...common(group.version, group.status),
        health: healthIssues(group.health?.issues),
        ownImage: group.amiType === 'CUSTOM',
      };
    }
    case 'add-on': {
      const addOn = await describeAddon(aws, ref, resource.name);
      if (addOn === undefined) throw failureOf('NotFound', `reading ${nameOf(ref, resource)}: EKS does not manage it`);
      return { ...common(addOn.addonVersion, addOn.status), health: healthIssues(addOn.health?.issues) };
    }
  }
}

/** EKS's issues in our shape: clusters and add-ons name resources as resourceIds, with all fields optional. */
export function healthIssues(issues: readonly { code?: string; message?: string; resourceIds?: string[] }[] | undefined): HealthIssue[] {
  return (issues ?? []).map((issue) => ({
    code: issue.code ?? 'Unknown',
    message: issue.message ?? '',
    resourceIds: (issue.resourceIds ?? []).slice(0, 5),
  }));
}

function common(version: string | undefined, status: string | undefined): Omit<ResourceState, 'health'> {
  return { version: version ?? '', status: status ?? 'unknown', ownImage: false };
}
