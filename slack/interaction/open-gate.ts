/** Reads the gate that a button is about, as it is now. */
import type { OpenGate } from '../../domain/gates/gate.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { campaignNameOf } from '../../workflows/contract/campaign.ts';
import { clusterNameOf } from '../../workflows/contract/ids.ts';
import type { DetailsValue } from '../blocks/kit/button-values.ts';
import type { SlackDeps } from './deps.ts';

/** `run`: what a decision is bound to. `why`: a sentence. */
export type ReadGate =
  | { kind: 'open'; gate: OpenGate & { workflowId: string }; run: string }
  /** Decided, withdrawn or expired, or of a run that is not the present one. */
  | { kind: 'closed' }
  /** Nobody can say: no worker answers. */
  | { kind: 'unread'; why: string };

/** Throws what the reading throws, such as UpgradesError where Temporal does not answer. */
export async function readGate(deps: SlackDeps, asked: DetailsValue): Promise<ReadGate> {
  try {
    return await read(deps, asked);
  } catch (error) {
    if (error instanceof UpgradesError && (error.code === 'not-running' || error.code === 'forgotten')) return { kind: 'closed' };
    throw error;
  }
}

async function read({ upgrades, campaigns }: SlackDeps, { workflowId, gate: gateId, run }: DetailsValue): Promise<ReadGate> {
  const campaign = campaignNameOf(workflowId);
  if (campaign !== undefined) {
    // One gate over all runs of a campaign.
    const { gates, runId, firstRunId = runId } = await campaigns.status(campaign);
    const gate = gates.find(({ id }) => id === gateId);
    return gate === undefined ? { kind: 'closed' } : { kind: 'open', gate: { ...gate, workflowId }, run: firstRunId };
  }
  const answer = await upgrades.status(clusterNameOf(workflowId));
  if (answer.source !== 'workflow') return { kind: 'unread', why: answer.why };
  const { gates, runId } = answer.status;
  const gate = run !== undefined && runId !== run ? undefined : gates.find(({ id }) => id === gateId);
  return gate === undefined ? { kind: 'closed' } : { kind: 'open', gate, run: runId };
}
