/** The plan that goes on after a change that people have approved: rings that have begun stay as they were. */
import { type CampaignPlan, memberKey } from './types.ts';
import { hashOfPlan } from './plan-campaign.ts';

/** `begun`: how many rings of the approved plan have begun; of `now` only what is left to come is taken. */
export function adoptPlan(approved: CampaignPlan, now: CampaignPlan, begun: number): CampaignPlan {
  const kept = approved.rings.slice(0, begun);
  const names = new Set(kept.map(({ name }) => name));
  const keys = new Set(kept.flatMap(({ members }) => members.map(({ cluster }) => memberKey(cluster))));
  const coming = now.rings
    .filter(({ name }) => !names.has(name))
    // A cluster that an earlier ring has is not started once more.
    .map((ring) => ({ ...ring, members: ring.members.filter(({ cluster }) => !keys.has(memberKey(cluster))) }));
  const plan = { ...now, rings: [...kept, ...coming] };
  return { ...plan, hash: hashOfPlan(plan) };
}
