/** Whether belay.yaml could have made a campaign's plan: whoever starts a campaign hands its plan over, and could write another one. */
import type { ClusterRef } from '../../core/cluster-ref.ts';
import { duration } from '../../core/text.ts';
import type { RingPolicy } from '../../policy/campaigns.ts';
import { numbersOf } from './plan-campaign.ts';
import { type CampaignPlan, memberKey, type PlannedRing } from './types.ts';

/** What belay.yaml says of a campaign, as far as it is known without asking AWS. */
export interface CampaignFile {
  /** `rings`: in which the cluster may be, by what they select. `excluded`: it is left out now. */
  clusters: readonly { cluster: ClusterRef; rings?: readonly string[]; excluded?: true }[];
  /** Rings whose approval stands for the first gate of their runs. Absent: read by a release that does not say; nothing is judged. */
  covering?: readonly string[];
  /** Absent: as above. */
  rings?: readonly RingPolicy[];
  limits?: CampaignPlan['limits'];
}

/**
 * What of the plan is not as belay.yaml has it, in words; undefined: nothing that could be told. Whose approval counts is belay.yaml's to say: clusters of
 * another campaign would be approved by the wrong people, and a ring that covers gates by too few. A way back is asked for clusters that have a ring, whichever.
 */
export function notOfFile(
  { rings, rollbackOf, limits }: Pick<CampaignPlan, 'rings' | 'rollbackOf' | 'limits'>,
  file: CampaignFile,
): string | undefined {
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
    const out = clusters.find(
      ({ cluster, excluded }) => excluded === true && members.some((of) => memberKey(of.cluster) === memberKey(cluster)),
    );
    if (rollbackOf === undefined && out !== undefined) return `${memberKey(out.cluster)} is excluded there`;
  }
  // What a ring takes back has numbers of its own, by the plan that its campaign went by.
  return rollbackOf === undefined ? (otherRing(rings, file.rings ?? []) ?? otherLimit(limits, file.limits)) : undefined;
}

const SETTINGS = ['parallel', 'failures', 'succeed', 'soakMs', 'soakOnRed', 'promotion', 'canary'] as const;

/** Shares are of the clusters that the plan has. */
function otherRing(rings: readonly PlannedRing[], there: readonly RingPolicy[]): string | undefined {
  for (const ring of rings) {
    const policy = there.find(({ name }) => name === ring.name);
    if (policy === undefined) continue;
    const meant = { ...policy, ...numbersOf(policy, ring.members.length) };
    const key = SETTINGS.find((each) => meant[each] !== ring[each]);
    if (key !== undefined) return `ring ${ring.name} has ${wordOf(key)} ${written(key, meant[key])} there, not ${written(key, ring[key])}`;
  }
  return undefined;
}

/** By the keys of belay.yaml. */
const wordOf = (key: string): string => key.replace(/Ms$/, '');
const written = (key: string, value: string | number | boolean | undefined): string =>
  value === undefined ? 'unlimited' : key.endsWith('Ms') ? duration(Number(value)) : String(value);

const LIMITS = ['parallel', 'perAccount', 'perRegion', 'startsPerMinute', 'stuckAfterMs'] as const;

function otherLimit(limits: CampaignPlan['limits'], there: CampaignPlan['limits'] | undefined): string | undefined {
  const key = there && LIMITS.find((each) => there[each] !== limits[each]);
  return key && `${wordOf(key)} is ${written(key, there[key])} there, not ${written(key, limits[key])}`;
}
