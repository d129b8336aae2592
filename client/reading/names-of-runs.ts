/** What lists of runs call their clusters. */
import { clusterOf } from '../../workflows/contract/ids.ts';
import type { VisibilityStatus } from '../calls/contract.ts';

/** Where several belay.yaml share a namespace, clusters of one name are told apart by where they are. */
export function namesIn(all: readonly VisibilityStatus[]): (run: VisibilityStatus) => string {
  const places = Map.groupBy(all, ({ cluster }) => cluster);
  return ({ cluster, workflowId }) => {
    const isAlone = new Set(places.get(cluster)?.map((each) => each.workflowId)).size <= 1;
    const { account, region } = clusterOf(workflowId) ?? {};
    return isAlone || region === undefined ? cluster : `${cluster} (${account} ${region})`;
  };
}
