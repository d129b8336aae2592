/** What is known of many clusters: by a worker over Temporal where one answers, else from AWS by this process; open runs as Temporal has them. */
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import { createVersionActivities } from '../../activities/run/planning/fleet-versions.ts';
import type { OpenCampaign } from '../../client/campaigns/open-campaigns.ts';
import { type Upgrades, UpgradesError, type VisibilityStatus } from '../../client/calls/contract.ts';
import { closesByItself } from '../../client/reading/status.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import type { FleetVersions } from '../../domain/run/fleet.ts';
import {
  type CampaignReading,
  type FleetFreeze,
  type FleetGate,
  type FleetMember,
  type FleetReading,
  type FleetRun,
  type FleetSources,
  placeId,
} from '../../domain/run/fleet-view/reading.ts';
import { clusterOf } from '../../workflows/contract/ids.ts';
import { configuredCampaigns } from './configured-campaigns.ts';

/** Runs whose workflow is asked what it waits for; of others the gate's id is shown. */
const ASKED = 20;
/** Of an answer that lacks a cluster. */
const NOT_ANSWERED = 'it is missing from the answer; try again';

export interface FleetPorts {
  upgrades: Pick<Upgrades, 'versions' | 'listAll' | 'status'>;
  openCampaigns: (first: Iterable<string>) => Promise<OpenCampaign[]>;
  /** Without a worker. */
  readDirectly: (names: readonly string[]) => Promise<FleetVersions>;
}

export async function readFleet(config: Config, names: readonly string[], ports: FleetPorts): Promise<FleetReading> {
  const places = new Set(names.map((name) => placeId(policyOf(config, name).cluster)));
  // A run is asked by the name of its cluster, which another installation may use in another account.
  const isOurs = ({ workflowId }: VisibilityStatus): boolean => {
    const cluster = clusterOf(workflowId);
    return cluster !== undefined && places.has(placeId(cluster));
  };
  const [{ versions, from }, { runs, keptFreezes, runsFrom }, { open, campaignsFrom }] = await Promise.all([
    readVersions(names, ports),
    readRuns(ports, isOurs),
    readCampaigns(config, ports),
  ]);
  const byName = new Map(versions.clusters.map((cluster) => [cluster.name, cluster]));
  const members = names.map((name): FleetMember => {
    const { cluster, environment } = policyOf(config, name);
    const { version, supportType, why } = byName.get(name) ?? { why: NOT_ANSWERED };
    return { cluster, environment, ...defined({ version, supportType, why }) };
  });
  const { readAt, offered } = versions;
  const read = { readAt, members, offered, runs, keptFreezes };
  return {
    ...read,
    campaigns: [...open, ...configuredCampaigns(config, read, new Set(open.map(({ name }) => name)))],
    sources: { versions: from, runs: runsFrom, campaigns: campaignsFrom },
  };
}

async function readVersions(
  names: readonly string[],
  { upgrades, readDirectly }: FleetPorts,
): Promise<{ versions: FleetVersions; from: FleetSources['versions'] }> {
  try {
    return { versions: await upgrades.versions(names), from: { from: 'worker' } };
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    return { versions: await readDirectly(names), from: { from: 'aws', why: error.message } };
  }
}

async function readRuns(
  { upgrades }: FleetPorts,
  isOurs: (run: VisibilityStatus) => boolean,
): Promise<{ runs: FleetRun[]; keptFreezes: FleetFreeze[]; runsFrom: FleetSources['runs'] }> {
  try {
    const { runs, keptFreezes } = await upgrades.listAll();
    const waiting = [...runs, ...keptFreezes].filter((run) => waits(run) && isOurs(run)).slice(0, ASKED);
    const gates = new Map(await Promise.all(waiting.map(async (run) => [run.workflowId, await gateOf(upgrades, run)] as const)));
    const read = (found: readonly VisibilityStatus[]): FleetRun[] => found.flatMap((run) => runOf(run, gates.get(run.workflowId)));
    // Its phase is that of the run, which has ended.
    const freezes = keptFreezes.map((freeze) => ({ ...freeze, phase: undefined }));
    return { runs: read(runs), keptFreezes: read(freezes), runsFrom: { from: 'temporal' } };
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    return { runs: [], keptFreezes: [], runsFrom: { from: 'unread', why: error.message } };
  }
}

async function readCampaigns(
  { campaigns }: Config,
  { openCampaigns }: FleetPorts,
): Promise<{ open: CampaignReading[]; campaignsFrom: FleetSources['campaigns'] }> {
  try {
    const open = (await openCampaigns(campaigns.keys())).map(
      (each): CampaignReading =>
        'status' in each ? { kind: 'open', name: each.name, said: each.status } : { kind: 'unread', name: each.name, why: each.why },
    );
    return { open, campaignsFrom: { from: 'temporal' } };
  } catch (error) {
    if (!(error instanceof UpgradesError)) throw error;
    return { open: [], campaignsFrom: { from: 'unread', why: error.message } };
  }
}

const waits = ({ waitingFor }: VisibilityStatus): boolean => waitingFor !== undefined && waitingFor !== '';

/** What is asked, as the run's workflow says it; undefined: it does not answer. */
async function gateOf(upgrades: FleetPorts['upgrades'], { cluster, waitingFor }: VisibilityStatus): Promise<FleetGate | undefined> {
  try {
    const answer = await upgrades.status(cluster);
    const gate = answer.source === 'workflow' ? answer.status.gates.find(({ id }) => id === waitingFor) : undefined;
    if (gate === undefined) return undefined;
    const { id, title, progress, expiresAt, byItself } = gate;
    return { id, title, expiresAt, ...defined({ progress, byItself }) };
  } catch {
    return undefined;
  }
}

function runOf(run: VisibilityStatus, asked: FleetGate | undefined): FleetRun[] {
  const cluster = clusterOf(run.workflowId);
  if (cluster === undefined) return [];
  const { target, phase, startedAt, waitingFor = '' } = run;
  const waitsFor = waits(run)
    ? (asked ?? { id: waitingFor, ...(closesByItself(waitingFor) ? { byItself: true as const } : {}) })
    : undefined;
  return [{ cluster, startedAt, ...defined({ target, phase, waitsFor }) }];
}

/** Versions by AWS, where no worker answers. */
export const readVersionsBy =
  (clients: ClusterClients, config: Config): FleetPorts['readDirectly'] =>
  async (names) =>
    await createVersionActivities(clients).readVersions({ clusters: names.map((name) => policyOf(config, name).cluster) });
