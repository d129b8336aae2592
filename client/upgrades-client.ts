/** Starts, decides, pauses and reports upgrades through the Temporal client: Slack actions and the CLI both call this. */
import type { Client } from '@temporalio/client';
import { type Campaigns, createCampaigns } from './campaigns/campaigns.ts';
import { createCensus, type OpenRun } from './reading/census.ts';
import { claimRequest } from './calls/claim-request.ts';
import { createGuards, type Guards } from './reading/guards.ts';
import { startCheck } from './starting/start-check.ts';
import { startForecast } from './starting/start-forecast.ts';
import { sendControl, sendDecision, sendExtension, sendHandOver, sendPace } from './steering/send-commands.ts';
import { newestRun } from './reading/newest-run.ts';
import { planUpgrade, startUpgrade } from './starting/plan-and-start.ts';
import { reconcile } from './starting/reconcile.ts';
import { createOpenCampaigns, type OpenCampaign } from './campaigns/open-campaigns.ts';
import { createRefusals, type Refusals } from './steering/refused-attempts.ts';
import { connectClient, type ConnectSettings } from './calls/connect.ts';
import { listAll, readStatus } from './reading/status.ts';
import { listSteps, type StepRun } from './reading/steps.ts';
import { readThread, type ThreadOptions, type ToldMessage } from './reading/thread-log.ts';
import { listUndo, readReadiness, readVersions } from './starting/lookups.ts';
import { type ControlRequest, type Upgrades, UpgradesError, type UpgradesSettings } from './calls/contract.ts';
import { forgottenTried } from './calls/messages.ts';
import { resolve } from './starting/prepare-request.ts';
import { standstill } from './calls/temporal-calls.ts';
import { TASK_QUEUE, upgradeWorkflowId } from '../workflows/contract/ids.ts';

export { UpgradesError };
export type {
  Answer,
  StartedCheck,
  StartedUpgrade,
  StatusAnswer,
  Upgrades,
  UpgradesSettings,
  VisibilityStatus,
} from './calls/contract.ts';

export function createUpgrades(deps: { client: Client; refusals?: Refusals } & UpgradesSettings): Upgrades {
  const { client, refusals = createRefusals(deps.client, deps), ...settings } = deps;
  /** What is refused because its run is not known belongs to no run: it goes to the record of the front door. */
  const known = async <T>(verb: string, { actor, ...about }: Sent, send: () => Promise<T>): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (error instanceof UpgradesError && error.code === 'forgotten')
        refusals.atTheDoor({ what: forgottenTried(triedOf(verb, about), about.workflowId ?? about.cluster ?? '?'), actor });
      throw error;
    }
  };
  return {
    plan: (request) => planUpgrade(client, settings, request),
    start: (request) => startUpgrade(client, settings, request),
    planRollback: (request) => planUpgrade(client, settings, { ...request, back: true }),
    startBack: (request) => startUpgrade(client, settings, { ...request, back: true }),
    undoOptions: (cluster) => listUndo(client, settings, cluster),
    check: (request) => startCheck(client, settings, request),
    forecast: (request) => startForecast(client, settings, request),
    readiness: (request) => readReadiness(client, settings, request),
    versions: (clusters) => readVersions(client, settings, clusters),
    decide: (request) => known('decide', request, () => sendDecision(client, settings, refusals, request)),
    pause: (request) => known('pause', request, () => sendControl(client, settings, 'pause', request)),
    resume: (request) => known('resume', request, () => sendControl(client, settings, 'resume', request)),
    abort: (request) => known('abort', request, () => sendControl(client, settings, 'abort', request)),
    pace: (request) => known('pace', request, () => sendPace(client, settings, request)),
    extend: (request) => known('extend', request, () => sendExtension(client, settings, request)),
    handOver: (request) => known('handOver', request, () => sendHandOver(client, settings, request)),
    reconcile: (request) => reconcile(client, settings, request),
    status: async (cluster) => await readStatus(client, settings, resolve(settings, cluster)),
    newestRun: async (cluster) => await newestRun(client, upgradeWorkflowId(resolve(settings, cluster))),
    list: async () => (await listAll(client)).runs,
    listAll: () => listAll(client),
    standstill: () => standstill(client, settings.taskQueue ?? TASK_QUEUE),
    claim: (requestId) => claimRequest(client, settings, requestId),
    refused: (refusal) => refusals.atTheDoor(refusal),
  };
}

interface Sent extends Pick<ControlRequest, 'actor' | 'workflowId' | 'cluster'> {
  choice?: string;
  gateId?: string;
}

const triedOf = (verb: string, { choice, gateId }: Omit<Sent, 'actor'>): string =>
  [verb, ...(choice === undefined ? [] : [choice]), ...(gateId === undefined ? [] : [`at ${gateId}`])].join(' ');

export interface ConnectedUpgrades {
  upgrades: Upgrades;
  campaigns: Campaigns;
  /** Every open run, for metrics. */
  census(): Promise<OpenRun[]>;
  /** Freezes, rollback windows, what Slack has not taken: likewise. */
  guards(): Promise<Guards>;
  /** Open campaigns with what their workflows say; those named are asked first. */
  openCampaigns(first: Iterable<string>): Promise<OpenCampaign[]>;
  /** Of all runs, for annotations: those that run, and those that have ended since. */
  steps(since: Date): Promise<StepRun[]>;
  /** What a run of a cluster has told people, in order, whether or not anybody works. */
  thread(cluster: string, options?: ThreadOptions): AsyncIterable<ToldMessage>;
  /** Goes on with the certificates that TEMPORAL_* name now. Throws where they cannot be used. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

/** Upgrades over a connection of its own, which waits for Temporal. */
export function connectUpgrades(settings: ConnectSettings): ConnectedUpgrades {
  const connected = connectClient(settings);
  const { client } = connected;
  const refusals = createRefusals(client, settings);
  const upgrades = createUpgrades({ client, refusals, ...settings });
  return {
    upgrades,
    campaigns: createCampaigns(client, settings, upgrades),
    census: createCensus(client),
    guards: createGuards(client),
    openCampaigns: createOpenCampaigns(client),
    steps: (since) => listSteps(client, since),
    thread: (cluster, options) => readThread(client, resolve(settings, cluster), options),
    renew: () => connected.renew(),
    async close() {
      await refusals.end();
      await connected.close();
    },
  };
}
