/** The plan that takes a ring back: which of its clusters EKS still takes back, least time left first. */
import { compareText, utcMinute } from '../../core/text.ts';
import { defined } from '../../core/defined.ts';
import { minorBelow } from '../../core/version.ts';
import type { ClusterRef } from '../../core/cluster-ref.ts';
import { type WayBack } from '../../facts/rollback-window.ts';
import { hashOfPlan } from './plan-campaign.ts';
import { type CampaignPlan, memberKey, type MemberVerdict, type PlannedMember, type PlannedRing } from './types.ts';

/** A cluster of the ring, and what is known of its way back. */
export interface RingMemberBack {
  cluster: ClusterRef;
  environment: string;
  /** Why the campaign has nothing to take back there. */
  not?: string;
  /** Absent: not read. */
  back?: WayBack;
  /** Why the way back is not known. */
  unread?: string;
  /** Why Belay refuses the way back, in one line. */
  refused?: string;
}

/** The name by which a rollback is steered as campaigns are. No campaign of belay.yaml has such a name. */
export const rollbackName = (campaign: string, ring: string): string => `${campaign}.rollback.${ring}`;

/** What goes back by a name of `rollbackName`; undefined for any other name. Names of campaigns and rings have no dots. */
export function rollbackOfName(name: string): { campaign: string; ring: string } | undefined {
  const [, campaign, ring] = /^([^.]+)\.rollback\.([^.]+)$/.exec(name) ?? [];
  return campaign === undefined || ring === undefined ? undefined : { campaign, ring };
}

/** `of`: the plan that the ring belongs to. `now`: ISO 8601. Throws a RangeError where the campaign's target is no minor. */
export function planRingRollback(
  of: Pick<CampaignPlan, 'campaign' | 'target' | 'limits'>,
  { name, parallel }: Pick<PlannedRing, 'name' | 'parallel'>,
  { members: seen, warnings, now }: { members: readonly RingMemberBack[]; warnings: readonly string[]; now: string },
): CampaignPlan {
  const target = minorBelow(of.target);
  if (target === undefined) throw new RangeError(`the campaign's target "${of.target}" is no minor such as 1.34`);
  const members = seen.map((member) => plannedBack(member, of.target)).toSorted(leastTimeFirst);
  const going = members.filter(({ verdict }) => verdict.kind === 'upgrade').length;
  const approved = {
    campaign: rollbackName(of.campaign, name),
    rollbackOf: { campaign: of.campaign, ring: name },
    target,
    rings: [
      {
        name,
        canary: false,
        soakMs: 0,
        soakOnRed: 'hold' as const,
        promotion: 'ask' as const,
        coversStart: true,
        parallel,
        // One that fails keeps no other from going back while it still can; the ring ends once all that were approved are back.
        failures: members.length,
        succeed: going,
        members,
        untested: [],
      },
    ],
    excluded: [],
    limits: of.limits,
  };
  return {
    ...approved,
    madeAt: now,
    warnings: [...warnings],
    problems: going > 0 ? [] : [`No cluster of ring ${name} can be rolled back to ${target}.`],
    hash: hashOfPlan(approved),
  };
}

function plannedBack({ cluster, environment, back, ...of }: RingMemberBack, from: string): PlannedMember {
  const verdict = verdictOf({ back, ...of }, from);
  const window = back?.kind === 'open' || back?.kind === 'closed' ? back.window : undefined;
  return { cluster, environment, ...defined({ from: window?.at, backUntil: window?.closesAt }), verdict };
}

/** Only what is known to be possible is approved: whatever else there is, is listed with its reason. */
function verdictOf({ not, back, unread, refused }: Omit<RingMemberBack, 'cluster' | 'environment'>, from: string): MemberVerdict {
  const no = (why: string): MemberVerdict => ({ kind: 'refused', why });
  if (not !== undefined) return no(not);
  if (back === undefined) return no(`it is not known whether EKS can roll it back: ${unread ?? 'it was not read'}`);
  if (back.kind === 'none')
    return no(back.why === 'rolled-back' ? 'it was already rolled back' : 'EKS has no update of its control plane to roll back');
  if (back.window.at !== from) return no(`it is at ${back.window.at}, although the campaign upgraded it to ${from}`);
  if (back.kind === 'closed') return no(`EKS can no longer roll it back (since ${utcMinute(back.window.closesAt)})`);
  return refused === undefined ? { kind: 'upgrade', minors: 1 } : no(refused);
}

function leastTimeFirst(a: PlannedMember, b: PlannedMember): number {
  const [until, other] = [a, b].map(({ verdict, backUntil = '' }) => (verdict.kind === 'upgrade' ? backUntil : '~'));
  return compareText(until ?? '', other ?? '') || compareText(memberKey(a.cluster), memberKey(b.cluster));
}
