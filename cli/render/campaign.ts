/** A campaign's plan and state as text. */
import { costText, neverFits } from '../../domain/run/fleet-view/board.ts';
import type { Fits } from '../../domain/plan/campaign/lay-out.ts';
import { bestChange, costOfWaiting, forecastRings } from '../../domain/plan/campaign/forecast.ts';
import { type CampaignPlan, memberKey, type PlannedMember, type PlannedRing } from '../../domain/plan/campaign/types.ts';
import { supportOf } from '../../domain/run/fleet.ts';
import { membersOf } from '../../domain/run/campaign/state.ts';
import { campaignNamed, campaignView, fleetSize, memberText } from '../../domain/run/campaign/view.ts';
import { count, duration, utcMinute } from '../../domain/core/text.ts';
import type { CampaignStatus } from '../../client/campaigns/campaigns.ts';
import { datesCount } from '../../render/fleet/texts.ts';

/** `fits`: windows and freezes of belay.yaml. */
export function renderCampaignPlan(plan: CampaignPlan, fits?: Fits): string {
  const forecasts = forecastRings(plan.rings, plan.madeAt, fits, plan.limits);
  const rings = plan.rings.map((ring) => {
    const forecast = forecasts.find((each) => each.ring === ring.name);
    const days =
      forecast === undefined
        ? ''
        : `  ${forecast.from.slice(0, 10)} to ${forecast.until.slice(0, 10)}${forecast.assumed ? `, assumed ${duration(forecast.runMs)} each` : ''}`;
    return [`Ring ${ring.name}: ${ringNumbers(ring)}`, days, ...ring.members.map((member) => `  ${memberLine(member)}`), ...untested(ring)]
      .filter((line) => line !== '')
      .join('\n');
  });
  const costs = costOfWaiting(
    plan,
    forecasts,
    (minor) => supportOf(minor, []),
    ({ supportType }) => supportType,
  ).filter(({ usd, forced }) => usd > 0 || forced.length > 0);
  const best = bestChange(plan.rings, plan.madeAt, plan.limits, fits);
  return [
    `${campaignNamed(plan)}: ${fleetSize(plan)}, plan ${plan.hash}`,
    ...rings,
    ...(plan.excluded.length === 0
      ? []
      : [
          `Left out:\n${plan.excluded.map(({ cluster, reason, until }) => `  ${memberKey(cluster)}: ${reason}${until === undefined ? '' : ` (until ${until})`}`).join('\n')}`,
        ]),
    ...costs.map((cost) => `Account ${costText(cost)}.`),
    ...(best === undefined ? [] : [`To finish sooner: ${best.what} saves ${duration(best.savesMs)}.`]),
    ...plan.warnings.map((warning) => `Warning: ${warning}`),
    ...plan.problems.map((problem) => `Problem: ${problem}`),
    ...forecasts.flatMap(({ ring, never = [] }) =>
      never.length === 0 ? [] : [`Ring ${ring}: ${neverFits(never)}, so no date counts ${never.length === 1 ? 'it' : 'them'}.`],
    ),
    `Dates are ${datesCount(fits !== undefined)}.`,
  ].join('\n\n');
}

function ringNumbers({ parallel, failures, succeed, soakMs, members, canary, promotion }: PlannedRing): string {
  const may = canary ? 'canary: none may fail' : `${failures} may fail`;
  return `${count(members.length, 'cluster')}, ${parallel} at a time, ${succeed} must succeed, ${may}, soak ${duration(soakMs)}, ${promotion === 'ask' ? 'starts when approved' : 'starts after the soak'}`;
}

function memberLine({ cluster, from, verdict, readiness }: PlannedMember): string {
  const what = { upgrade: from ?? '?', done: 'at the target', ahead: 'ahead', held: 'held', refused: 'refused' }[verdict.kind];
  const why = 'why' in verdict ? `: ${verdict.why}` : '';
  const checked = readiness === undefined ? '' : `, ${readiness.verdict}${readiness.why === undefined ? '' : ` (${readiness.why})`}`;
  return `${cluster.name} (${cluster.account}, ${cluster.region}): ${what}${why}${checked}`;
}

const untested = ({ untested: kinds }: PlannedRing): string[] =>
  kinds.length === 0 ? [] : [`  tried for the first time: ${kinds.join(', ')}`];

/** The rollback of a ring: which clusters can be rolled back, and which cannot and why. */
export function renderRollbackPlan(plan: CampaignPlan): string {
  const members = plan.rings.flatMap((ring) => ring.members);
  const going = members.filter(({ verdict }) => verdict.kind === 'upgrade');
  const staying = members.filter(({ verdict }) => verdict.kind !== 'upgrade');
  const parallel = plan.rings[0]?.parallel ?? 1;
  const where = ({ cluster: { name, account, region } }: PlannedMember): string => `  ${name} (${account}, ${region})`;
  return [
    `${campaignNamed(plan)}: ${going.length} of ${count(members.length, 'cluster')} can be rolled back, plan ${plan.hash}`,
    ...(going.length === 0
      ? []
      : [
          [
            `To roll back, ${parallel} at a time, least time left first:`,
            ...going.map((member) => `${where(member)}: EKS can roll it back until ${utcMinute(member.backUntil ?? '')}`),
          ].join('\n'),
        ]),
    ...(staying.length === 0
      ? []
      : [
          [
            'Stay as they are:',
            ...staying.map((member) => `${where(member)}${'why' in member.verdict ? `: ${member.verdict.why}` : ''}`),
          ].join('\n'),
        ]),
    ...plan.warnings.map((warning) => `Warning: ${warning}`),
    ...plan.problems.map((problem) => `Problem: ${problem}`),
  ].join('\n\n');
}

export function renderCampaignStatus(status: CampaignStatus): string {
  const view = campaignView(status);
  const rings = status.plan.rings.map((ring, index) => {
    const seen = view.rings[index];
    const members = membersOf(status.state, ring).map(
      ({ member, is }) => `  ${member.cluster.name} (${member.cluster.account}, ${member.cluster.region}): ${memberText(is)}`,
    );
    return [`Ring ${ring.name}, ${seen?.state}: ${seen?.line}`, ...members].join('\n');
  });
  const gates = status.gates.map(
    ({ id, title, expiresAt }) => `Open gate ${id}: ${title} Decide by ${utcMinute(expiresAt)}: belay campaign promote ${view.campaign}`,
  );
  return [
    `${campaignNamed(view)}, ${view.phase}: ${view.headline} ${view.arrivedCount} of ${count(view.clusterCount, 'cluster')} done.`,
    ...gates,
    ...rings,
  ].join('\n\n');
}

export const renderCampaigns = (names: readonly string[]): string => (names.length === 0 ? 'No campaign is open.' : names.join('\n'));
