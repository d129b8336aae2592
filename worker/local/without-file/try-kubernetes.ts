/** Whether the API server is reached and lets this identity read, before a report is made of nothing but unknowns. */
import type { Cluster } from '@aws-sdk/client-eks';
import { failureType } from '../../../activities/runtime/translate-errors.ts';
import { defined } from '../../../domain/core/defined.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { policyOf } from '../../../domain/policy/config/of-cluster.ts';
import { openClients } from '../../config/clients.ts';
import type { Account } from './account.ts';
import { ClusterProblemError } from './problems.ts';

export interface Trying {
  config: Config;
  place: { name: string; region: string; tunnel?: string };
  described: Cluster;
  account: Account;
}

/** Asks for the nodes: without them nothing can be said of an upgrade. Throws ClusterProblemError; what else is wrong shows where it is read. */
export async function tryKubernetes({ config, place, described, account }: Trying): Promise<void> {
  const { name: cluster, region, tunnel } = place;
  const clients = openClients(config, 'check');
  try {
    const { kubernetes } = await clients.clusterPorts(policyOf(config, cluster).cluster);
    // One that is not there: the right to list is asked for, and no page of a large cluster comes.
    await kubernetes.list({ apiVersion: 'v1', plural: 'nodes', fieldSelector: 'metadata.name=belay', metadataOnly: true });
  } catch (error) {
    const why = messageOf(error);
    if (isUnreachable(error)) {
      const { endpointPublicAccess: isPublic = false, publicAccessCidrs: openTo = [] } = described.resourcesVpcConfig ?? {};
      throw new ClusterProblemError({ kind: 'unreachable', cluster, isPublic, openTo, why, ...defined({ tunnel }) }, { cause: error });
    }
    if (failureType(error) !== 'AccessDenied' || !why.includes('Kubernetes answered')) throw error;
    const who = await account.caller().then(
      ({ arn }) => arn,
      () => undefined,
    );
    // As EKS has it where the answer has none: clusters of before access entries.
    const byAwsAuth = (described.accessConfig?.authenticationMode ?? 'CONFIG_MAP') === 'CONFIG_MAP' ? { byAwsAuth: true as const } : {};
    const problem = /Kubernetes answered 401\b/.test(why)
      ? { kind: 'no-access-entry' as const, cluster, region, ...defined({ who }), ...byAwsAuth }
      : { kind: 'no-rights' as const, cluster, why, ...defined({ who }), ...byAwsAuth };
    throw new ClusterProblemError(problem, { cause: error });
  } finally {
    await clients.close();
  }
}

/** No answer, or one of somebody on the way: of a server that answers 500 the reading says so. */
const isUnreachable = (error: unknown): boolean => {
  const type = failureType(error);
  return (
    (type === 'Unavailable' && !/Kubernetes answer/.test(messageOf(error))) ||
    (type === 'Configuration' && /certificate/.test(messageOf(error)))
  );
};
