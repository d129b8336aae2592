/**
 * One press for equal gates of many runs. What is pressed is believed of nobody: the bundle is the campaign's own word, each run is asked anew what it
 * waits for, and each gets a vote of its own, which it judges by its own rules.
 */
import type { Client } from '@temporalio/client';
import type { Actor } from '../../domain/gates/actor.ts';
import type { Prove } from '../../domain/gates/identity-proof.ts';
import { type Bundle, type BundleMember, offerOf, whyDropped } from '../../domain/run/campaign/bundles.ts';
import type { BundleOutcome, BundleResult } from '../../domain/run/campaign/bundle-outcome.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import { type CampaignBundles, campaignBundles } from '../../workflows/contract/bundles.ts';
import { campaignWorkflowId, memberEnded } from '../../workflows/contract/campaign.ts';
import { upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { type Upgrades, UpgradesError } from '../calls/contract.ts';
import { inLanes, LANES } from '../calls/in-lanes.ts';
import { bundleGone, noCampaign, notTried, runHasEnded } from '../calls/messages.ts';
import { ask, queryStatus } from '../reading/query-status.ts';
import { isNotFound, SERVER_LIMIT_MS, translate, within } from '../calls/temporal-calls.ts';

/** Of one run among hundreds that are asked: whoever pressed sees how far it is. */
const RUN_LIMIT_MS = 15_000;

export interface BundlePress {
  campaign: string;
  /** Id of the bundle that was shown. */
  bundle: string;
  actor: Actor;
  prove?: Prove;
  /** Told after each run. */
  onProgress?: (doneCount: number, of: number) => void;
}

export interface Bundles {
  /** Equal gates that a campaign offers together, as it has seen them last. */
  bundles(campaign: string): Promise<CampaignBundles>;
  /** A vote to approve for each run of the bundle that still asks what was shown. The same press repeated votes once. */
  approveBundle(press: BundlePress): Promise<BundleOutcome>;
}

export function createBundles(client: Client, { decide }: Pick<Upgrades, 'decide'>): Bundles {
  const bundles: Bundles['bundles'] = (campaign) =>
    ask(client, { workflowId: campaignWorkflowId(campaign), gone: noCampaign(campaign) }, campaignBundles);
  return {
    bundles,

    async approveBundle({ campaign, bundle: id, actor, prove, onProgress = () => undefined }) {
      const { open, earlier } = await bundles(campaign);
      const bundle = [...open, ...earlier].find((each) => each.id === id);
      if (bundle === undefined) throw new UpgradesError('refused', bundleGone());
      const press: Press = { campaign, bundle, actor, at: new Date().toISOString(), ...(prove === undefined ? {} : { prove }) };
      const { members } = bundle;
      const results: BundleOutcome['results'] = [];
      const lost: string[] = [];
      const vote = async (index: number): Promise<void> => {
        const member = members[index];
        if (member === undefined) return;
        // Where nothing answers, nobody waits for the limit three hundred times.
        const [why] = lost.length >= LANES ? lost : [];
        const result =
          why === undefined ? await voteAt(client, decide, press, member) : ({ kind: 'unreached', why: notTried(why) } as const);
        if (result.kind === 'unreached') lost.push(result.why);
        else lost.length = 0;
        // A gate that is gone by now may have gone by the vote of which nothing was heard.
        const isUnheard = result.kind === 'dropped' && results[index]?.result.kind === 'unreached';
        if (!isUnheard) results[index] = { cluster: member.cluster.name, result };
        onProgress(results.filter((each) => each !== undefined).length, members.length);
      };
      await inLanes([...members.keys()], vote);
      // A worker that was busy for a moment; the same vote counts once.
      const unreached = results.flatMap(({ result }, index) => (result.kind === 'unreached' ? [index] : []));
      if (unreached.length < members.length) {
        lost.length = 0;
        await inLanes(unreached, vote);
      }
      await within(client, SERVER_LIMIT_MS, () =>
        client.workflow.getHandle(campaignWorkflowId(campaign)).signal(memberEnded, { cluster: '' }),
      ).catch(() => undefined); // it only looks sooner
      return { bundle, results };
    },
  };
}

interface Press {
  campaign: string;
  bundle: Bundle;
  actor: Actor;
  /** The same for all votes of the press: what is read of its sender is read once. */
  at: string;
  prove?: Prove;
}

async function voteAt(client: Client, decide: Upgrades['decide'], press: Press, member: BundleMember): Promise<BundleResult> {
  const { campaign, bundle, ...sent } = press;
  const workflowId = upgradeWorkflowId(member.cluster);
  let status: UpgradeStatus;
  try {
    const handle = client.workflow.getHandle(workflowId);
    status = await within(client, RUN_LIMIT_MS, () => queryStatus(handle));
  } catch (error) {
    return isNotFound(error) ? { kind: 'dropped', why: runHasEnded() } : { kind: 'unreached', why: translate(client, error).message };
  }
  const dropped = whyDropped(bundle, member, offerOf(status, { name: campaign, ring: bundle.ring }, bundle.gate));
  if (dropped !== undefined) return { kind: 'dropped', why: dropped };
  if (hasVoted(status, press)) return { kind: 'voted-before' };
  const { runId: run, revision, planHash } = member;
  try {
    // By the revision that was shown: the same press is the same decision, however often it is made.
    const request = { workflowId, gateId: bundle.gate, choice: 'approve', revision, run, bundle: bundle.id, ...sent };
    const { reply, how } = await decide({ ...request, ...(planHash === undefined ? {} : { planHash }) });
    if (how === 'kept') return { kind: 'kept' };
    return reply.accepted ? { kind: 'voted' } : { kind: 'refused', why: reply.message };
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    if (error.code === 'not-running' || error.code === 'forgotten') return { kind: 'dropped', why: runHasEnded() };
    return { kind: 'unreached', why: error.message };
  }
}

const hasVoted = ({ gates }: UpgradeStatus, { actor, bundle }: Press): boolean =>
  actor.kind === 'slack' && gates.some(({ id, voted = [] }) => id === bundle.gate && voted.includes(actor.id));
