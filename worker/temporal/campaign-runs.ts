/** The runs of a campaign's clusters, by this worker's own connection to Temporal; what it starts it signs with its own key. */
import { Client, type WorkflowClientInterceptor, WorkflowFailedError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import type { CampaignRuns, FoundRun } from '../../activities/run/campaign/runs.ts';
import { isNotFound, rootMessage, within } from '../../client/calls/temporal-calls.ts';
import { createUpgrades, UpgradesError, type UpgradesSettings } from '../../client/upgrades-client.ts';
import { latestEventAt } from '../../client/reading/event-times.ts';
import { listOpen } from '../../client/campaigns/open-campaigns.ts';
import { queryStatus, readAgain } from '../../client/reading/query-status.ts';
import { fromVisibility, waitsAt } from '../../client/reading/status.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { defined } from '../../domain/core/defined.ts';
import { field, messageOf, textField } from '../../domain/core/unknown.ts';
import { tryMinorDistance } from '../../domain/core/version.ts';
import { offerOf } from '../../domain/run/campaign/bundles.ts';
import type { UpgradeStatus } from '../../domain/run/record/status.ts';
import type { EndedAs } from '../../domain/run/campaign/looks.ts';
import { type CampaignStatus, campaignStatus, campaignWorkflowId } from '../../workflows/contract/campaign.ts';
import { upgradeWorkflowId } from '../../workflows/contract/ids.ts';
import { isOpenStatus } from '../../client/calls/open.ts';

export interface CampaignRunsOptions extends UpgradesSettings {
  connection: () => NativeConnection;
  namespace: string;
  dataConverter: DataConverter;
  interceptors: WorkflowClientInterceptor[];
}

/** A look at many clusters does not wait for one that does not answer. */
const ASK_LIMIT_MS = 3_000;
/** Codes by which nothing was started, and nothing else was tried. */
const REFUSED: readonly string[] = ['refused', 'invalid', 'failed'];

export function createCampaignRuns({ connection, namespace, dataConverter, interceptors, ...settings }: CampaignRunsOptions): CampaignRuns {
  const client = (): Client => new Client({ connection: connection(), namespace, dataConverter, interceptors: { workflow: interceptors } });
  return {
    find: (cluster, runId) => findRun(client(), cluster, runId),

    async goesBack(cluster) {
      const { from, to } = await queryStatus(client().workflow.getHandle(upgradeWorkflowId(cluster)));
      // Before it has planned it does not say from where it goes.
      if (from === undefined) throw new Error('it has not planned yet');
      return isBack(from, to);
    },

    async asks(cluster, of) {
      const by = client();
      const ask = (): Promise<UpgradeStatus> => queryStatus(by.workflow.getHandle(upgradeWorkflowId(cluster)));
      return offerOf(await within(by, ASK_LIMIT_MS, ask), of);
    },

    async start({ cluster, target, of, requestedBy, back }) {
      // A key vouches for people of Slack, by whatever way AWS or Slack knew them; an unverified command line stays one.
      const { prove, ...unsigned } = settings;
      if (requestedBy.kind === 'slack' && prove === undefined) return { kind: 'held', why: NO_KEY };
      const signing = requestedBy.kind === 'slack' ? settings : unsigned;
      const { campaign, ring, coversStart } = of;
      try {
        const request = {
          cluster: cluster.name,
          requestedBy,
          campaign: { name: campaign, ring, ...(coversStart === true ? { coversStart } : {}) },
        };
        const upgrades = createUpgrades({ client: client(), ...signing });
        const { runId } = await (back === true ? upgrades.startBack(request) : upgrades.start({ ...request, target }));
        return { kind: 'started', runId };
      } catch (error) {
        if (!(error instanceof UpgradesError)) throw error;
        if (error.code === 'already-running') return { kind: 'running' };
        if (REFUSED.includes(error.code)) return { kind: 'held', why: error.message.split('\n').slice(0, 3).join(' ').slice(0, 300) };
        throw error;
      }
    },

    async campaign(name) {
      const of = client();
      const handle = of.workflow.getHandle(campaignWorkflowId(name));
      try {
        const { status } = await handle.describe();
        const { plan, state } = await readAgain(() => handle.query(campaignStatus));
        return { plan, state, isOpen: isOpenStatus(status.name) };
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    async owners() {
      const owners: Record<string, string> = {};
      const of = client();
      for (const { name } of await listOpen(of)) {
        const { state, plan } = await statusOf(of, campaignWorkflowId(name));
        // What takes a ring back is no campaign of its own.
        if (plan.rollbackOf !== undefined) continue;
        for (const key of Object.keys(state.members)) owners[key] = plan.campaign;
      }
      return owners;
    },
  };
}

/** Unknown is no free cluster: what plans a campaign has to know what others have, and says which of them does not answer. */
async function statusOf(client: Client, workflowId: string): Promise<CampaignStatus> {
  try {
    return await readAgain(() => client.workflow.getHandle(workflowId).query(campaignStatus));
  } catch (error) {
    throw new Error(`${workflowId} does not say which clusters it has: ${messageOf(error)}`, { cause: error });
  }
}

const NO_KEY =
  'this worker has no key to sign starts with; set BELAY_SIGNING_KEY for "belay worker", and list its public key under signing.publicKeys';

async function findRun(client: Client, cluster: ClusterRef, runId: string | undefined): Promise<FoundRun | undefined> {
  const handle = client.workflow.getHandle(upgradeWorkflowId(cluster), runId);
  let described: Awaited<ReturnType<typeof handle.describe>>;
  try {
    described = await handle.describe();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const { target, phase, waitingFor } = fromVisibility(described);
  const known = { runId: described.runId, startedAt: described.startTime.toISOString(), ...(target === undefined ? {} : { target }) };
  if (isOpenStatus(described.status.name)) {
    const progressAt = await latestEventAt(client, { workflowId: handle.workflowId, runId: described.runId });
    const waits = await waitsAt(client, { workflowId: handle.workflowId, own: waitingFor });
    return { ...known, state: 'open', ...waits, ...defined({ phase, progressAt }) };
  }
  return { ...known, state: 'ended', ...(await endOf(client, handle.workflowId, described.runId, described.status.name)) };
}

/** As its own report says; without one, as Temporal does. */
async function endOf(client: Client, workflowId: string, runId: string, status: string): Promise<{ outcome: EndedAs; why: string }> {
  if (status !== 'COMPLETED') return { outcome: 'failed', why: await whyFailed(client, workflowId, runId, status) };
  const report: unknown = await client.workflow.getHandle(workflowId, runId).result();
  const outcome = textField(report, 'outcome');
  const why = textField(field(report, 'status'), 'headline') ?? outcome ?? 'it ended without a report';
  if (outcome !== 'completed') return { outcome: 'failed', why };
  const [from, to] = [textField(field(report, 'status'), 'from'), textField(field(report, 'status'), 'to')];
  return isBack(from, to) ? { outcome: 'rolled-back', why } : { outcome: 'completed', why };
}

const isBack = (from: string | undefined, to: string | undefined): boolean => (tryMinorDistance(from, to) ?? 0) < 0;

async function whyFailed(client: Client, workflowId: string, runId: string, status: string): Promise<string> {
  try {
    await client.workflow.getHandle(workflowId, runId).result();
    return status;
  } catch (error) {
    return error instanceof WorkflowFailedError ? rootMessage(error) : messageOf(error);
  }
}
