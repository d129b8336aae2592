/** Plays a campaign to its end: starts it, approves each ring, and waits. Temporal, or every worker, may be away for a moment: what failed is asked again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { within } from '../../../client/calls/temporal-calls.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { planCampaign } from '../../../domain/plan/campaign/plan-campaign.ts';
import type { FleetMember } from '../../../domain/plan/campaign/types.ts';
import type { CampaignPolicy } from '../../../domain/policy/campaigns.ts';
import { type CampaignInput, type CampaignStatus, campaignStatus } from '../../../workflows/contract/campaign.ts';
import { decisionId } from '../../../workflows/contract/ids.ts';
import { decideGate, WORKFLOWS } from '../../../workflows/contract/messages.ts';
import { ALEX, SAM } from '../../support/upgrade.ts';

const LOOK_MS = 50;
/** Of one call: a worker that was killed within a task is noticed after ten seconds. */
const CALL_LIMIT_MS = 20_000;

export type CampaignHandle = WorkflowHandle<(input: CampaignInput) => Promise<CampaignStatus>>;

export interface Played {
  ended: CampaignStatus;
  /** Until all is done; its last messages are edited in turn, for which no cluster waits. */
  wallSeconds: number;
  /** Events of each run of the campaign. */
  histories: number[];
}

export interface PlayOptions {
  client: Client;
  handle: CampaignHandle;
  taskQueue: string;
  limitMs: number;
  /** Nobody waits for it any more. */
  signal: AbortSignal;
}

/** Rejects when the campaign stops, or with what was waited for when the time is over. */
export class Play {
  readonly #options: PlayOptions;
  readonly #endMs: number;

  constructor(options: PlayOptions) {
    this.#options = options;
    this.#endMs = performance.now() + options.limitMs;
  }

  async play(campaign: CampaignPolicy, members: FleetMember[]): Promise<Played> {
    const { client, handle, taskQueue } = this.#options;
    const startedAtMs = performance.now();
    await client.workflow.start<(input: CampaignInput) => Promise<CampaignStatus>>(WORKFLOWS.campaign, {
      workflowId: handle.workflowId,
      taskQueue,
      args: [{ campaign: campaign.name, plan: planCampaign(campaign, members, new Date().toISOString()), requestedBy: ALEX }],
    });
    for (const index of campaign.rings.keys()) await this.#approve(campaign, index);
    await this.#until('the campaign to be over', async () => ((await this.#status()).state.phase === 'running' ? undefined : true));
    const wallSeconds = (performance.now() - startedAtMs) / 1000;
    const ended = await this.#until('the workflow to end', () => handle.result());
    return { ended, wallSeconds, histories: await this.#historyLengths() };
  }

  /** Until the ring has begun: an answer may be lost, its approval counts once. */
  async #approve({ rings, target }: CampaignPolicy, index: number): Promise<void> {
    const { name = '' } = rings[index] ?? {};
    const gateId = `ring:${name}@${target}#1`;
    let revision = 1;
    await this.#until(`ring ${name} to begin`, async () => {
      const { gates, state } = await this.#status();
      if (state.phase === 'stopped') throw new StoppedError(`The campaign stopped before ring ${name}: ${state.rings[state.ring]?.why}`);
      if (!['pending', 'awaiting-approval'].includes(state.rings[index]?.state ?? '')) return true;
      if (!gates.some(({ id }) => id === gateId)) return undefined;
      const args = { gateId, decisionId: decisionId(gateId, SAM.id, 'approve', revision), choice: 'approve', actor: SAM };
      const { accepted } = await this.#options.handle.executeUpdate(decideGate, { args: [args] });
      if (!accepted) revision += 1;
      return undefined;
    });
  }

  #status(): Promise<CampaignStatus> {
    return this.#options.handle.query(campaignStatus);
  }

  /** Visibility comes late: it is asked until it knows that the last one has ended. */
  async #historyLengths(): Promise<number[]> {
    const { client, handle } = this.#options;
    return await this.#until('the histories to be listed', async () => {
      const lengths: number[] = [];
      let isOver = true;
      for await (const { historyLength, status } of client.workflow.list({ query: `WorkflowId = '${handle.workflowId}'` })) {
        isOver &&= status.name !== 'RUNNING';
        lengths.push(historyLength);
      }
      return isOver && lengths.length > 0 ? lengths : undefined;
    });
  }

  async #until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    const { client, limitMs, signal } = this.#options;
    let last = '';
    for (;;) {
      try {
        const seen = await within(client, CALL_LIMIT_MS, ask);
        if (seen !== undefined) return seen;
      } catch (error) {
        if (error instanceof StoppedError) throw error;
        last = `; the last call failed: ${messageOf(error)}`;
      }
      if (performance.now() > this.#endMs) throw new Error(`Not within ${limitMs / 1000} s: ${what}${last}`);
      await sleep(LOOK_MS, undefined, { signal });
    }
  }
}

class StoppedError extends Error {}
