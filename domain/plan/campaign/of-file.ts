/** Whether belay.yaml could have made a campaign's plan: whoever starts a campaign hands its plan over, and could write another one. */
import type { ClusterRef } from '../../core/cluster-ref.ts';
import { type CampaignPlan, memberKey } from './types.ts';

/** What belay.yaml says of a campaign, as far as it is known without asking AWS. */
export interface CampaignFile {
  /** `rings`: in which the cluster may be, by what they select. */
  clusters: readonly { cluster: ClusterRef; rings?: readonly string[] }[];
  /** Rings whose approval stands for the first gate of their runs. Absent: read by a release that does not say; nothing is judged. */
  covering?: readonly string[];
}

/**
 * What of the plan is not as belay.yaml has it, in words; undefined: nothing that could be told. Whose approval counts is belay.yaml's to say: clusters of
 * another campaign would be approved by the wrong people, and a ring that covers gates by too few. A way back is asked for clusters that have a ring, whichever.
 */
export function notOfFile({ rings, rollbackOf }: Pick<CampaignPlan, 'rings' | 'rollbackOf'>, file: CampaignFile): string | undefined {
  const { clusters, covering } = file;
  if (covering === undefined) return undefined;
  const ringsOf = new Map(clusters.map(({ cluster, rings: may = [] }) => [memberKey(cluster), may]));
  for (const { name, coversStart, members } of rings) {
    if (coversStart && rollbackOf === undefined && !covering.includes(name)) return `ring ${name} covers no gate there`;
    const stranger = members.find(({ cluster }) => {
      const may = ringsOf.get(memberKey(cluster)) ?? [];
      return rollbackOf === undefined ? !may.includes(name) : may.length === 0;
    });
    if (stranger !== undefined) return `${memberKey(stranger.cluster)} is not in ring ${name} there`;
  }
  return undefined;
}
