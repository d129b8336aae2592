/** What commands and actions are given. */
import type { WebClient } from '@slack/web-api';
import type { UpgradeReport } from '../../domain/run/record/status.ts';
import type { Channels } from '../api/channels.ts';
import type { Log } from '../api/log.ts';
import type { PersonReader } from '../api/members.ts';
import type { Campaigns } from '../../client/campaigns/campaigns.ts';
import type { Upgrades } from '../../client/upgrades-client.ts';
import type { ApprovalPolicy } from '../../domain/gates/approvals.ts';
import type { CampaignPolicy } from '../../domain/policy/campaigns.ts';

/** What belay.yaml says about clusters. */
export interface ClusterDirectory {
  /** In the order of the file. */
  names(): readonly string[];
  /** Channel id or name of a cluster; undefined where none is configured. Throws an error that names the known clusters. */
  channelOf(cluster: string): string | undefined;
  /** Version to upgrade to where the command names none. */
  defaultTargetOf(cluster: string): string | undefined;
  /** Who may decide. Throws an error that names the known clusters. */
  approvalsOf(cluster: string): ApprovalPolicy;
  /** Of `campaigns:`, in the order of the file. */
  campaigns(): readonly CampaignPolicy[];
  /** Upgrades of the cluster that have ended, the newest first; as far as their records are where this process reads them. Throws where they cannot be read. */
  recordsOf(cluster: string): Promise<UpgradeReport[]>;
  /** The newest of them as `belay report` shows it: a page, and the picture of how it went where there is something to draw. */
  changeRecordOf(cluster: string): Promise<{ html: string; picture?: Uint8Array }>;
}

export interface SlackDeps {
  upgrades: Upgrades;
  campaigns: Campaigns;
  clusters: ClusterDirectory;
  web: WebClient;
  channels: Channels;
  people: PersonReader;
  log: Log;
  /** How long a press is repeated while Temporal does not answer. */
  keepTryingMs: number;
  /** Aborts when the process stops. */
  stopping: AbortSignal;
}
