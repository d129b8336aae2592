/** Taking a ring back: what its campaign knows of it, and until when EKS takes its clusters back. */
import { messageOf } from '../../../domain/core/unknown.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import { utcMinute } from '../../../domain/core/text.ts';
import { memberKey } from '../../../domain/plan/campaign/types.ts';
import { mayStart, type StartResult } from '../../../domain/run/campaign/starts.ts';
import { membersOf } from '../../../domain/run/campaign/state.ts';
import { whyNotTakenBack } from '../../../domain/run/campaign/taking-back.ts';
import type { ClusterDeps } from '../../clients/clusters.ts';
import type { CampaignActivities, ReadWayBack } from '../../contract/campaign.ts';
import { readRollbackWindow } from '../../eks/rollback-window.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { failureOf, translateError } from '../../runtime/translate-errors.ts';
import { againIn, SOON_MS } from './again.ts';
import type { CampaignRuns } from './runs.ts';

export interface BackDeps extends Pick<ClusterDeps, 'aws'> {
  runs: Pick<CampaignRuns, 'campaign' | 'find'>;
  nowMs?: () => number;
}

const MAX_WHY = 200;

export function createBackActivities({
  aws,
  runs,
  nowMs = Date.now,
}: BackDeps): Pick<CampaignActivities, 'findRing' | 'readWaysBack' | 'examineWayBack'> {
  return {
    async findRing({ campaign, ring: name }) {
      const found = await runs.campaign(campaign);
      if (found === undefined) return {};
      const { plan, state } = found;
      const ring = plan.rings.find((each) => each.name === name);
      if (ring === undefined)
        throw failureOf(
          'Configuration',
          `campaign ${campaign} has no ring ${name}; its rings: ${plan.rings.map((each) => each.name).join(', ')}`,
        );
      const members = membersOf(state, ring).map(({ member: { cluster, environment }, is }) => {
        const not = whyNotTakenBack(is, cluster.name);
        return { cluster, environment, ...(not === undefined ? {} : { not }) };
      });
      const { target, limits } = plan;
      return { known: { of: { campaign, target, limits }, ring: { name, parallel: ring.parallel }, members } };
    },

    async readWaysBack({ clusters }) {
      const ways = await someAtOnce(clusters, async (cluster) => [memberKey(cluster), await wayBackOf(aws, cluster)] as const);
      return { ways: Object.fromEntries(ways) };
    },

    async examineWayBack({ cluster, campaign, target, way }) {
      const held = (why: string): StartResult => ({ kind: 'held', why, again: againIn(SOON_MS, nowMs()) });
      try {
        const of = await runs.campaign(campaign);
        if (of?.isOpen === true && mayStart(of.state))
          return held(`campaign ${campaign} is running; pause it first (belay campaign pause ${campaign})`);
        // Begun already, by people or by an earlier try: the start sees which run it is.
        if ((await runs.find(cluster))?.state === 'open') return { kind: 'ready' };
      } catch (error) {
        return { kind: 'unknown', why: messageOf(error).slice(0, MAX_WHY), again: againIn(SOON_MS, nowMs()) };
      }
      if ('unread' in way) return { kind: 'unknown', why: way.unread, again: againIn(SOON_MS, nowMs()) };
      const { back } = way;
      if (back.kind === 'none') {
        if (back.why === 'rolled-back') return { kind: 'arrived', by: 'others' };
        return { kind: 'held', why: 'EKS has no update of its control plane to roll back' };
      }
      const { at, backTo, closesAt } = back.window;
      if (backTo !== target) return { kind: 'held', why: `it is at ${at} by now, and would go back to ${backTo}` };
      return back.kind === 'open' ? { kind: 'ready' } : { kind: 'held', why: `EKS has not taken it back since ${utcMinute(closesAt)}` };
    },
  };
}

/** What cannot be read says why. */
async function wayBackOf(aws: BackDeps['aws'], cluster: ClusterRef): Promise<ReadWayBack> {
  try {
    const { back } = await readRollbackWindow(aws(cluster), { cluster });
    return { back };
  } catch (error) {
    return { unread: translateError(error, `reading ${cluster.name}`).message.slice(0, MAX_WHY) };
  }
}
