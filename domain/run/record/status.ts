/** The small, JSON view of a run: query `upgradeStatus`, the board message and `belay status` all show this. */
import type { AuditEvent, AuditHead } from '../../gates/audit.ts';
import type { GateState, OpenGate } from '../../gates/gate.ts';
import type { Usual } from '../../plan/model/usual.ts';
import type { ClusterRef } from '../../core/cluster-ref.ts';
import type { Actor } from '../../gates/actor.ts';
import type { MergeFinding } from './merge-finding.ts';
import type { CampaignRun } from '../../plan/campaign/types.ts';

export type StepState = 'planned' | 'running' | 'waiting' | 'completed' | 'skipped' | 'failed' | 'aborted';

export interface StepView {
  id: string;
  title: string;
  state: StepState;
  startedAt?: string;
  endedAt?: string;
  expectedMs: number;
  /** One line: what is happening, what it waits for. */
  note?: string;
  /** Of a step that replaces nodes: how far it is. */
  rolled?: Rolled;
  /** What people took of it so far, at gates that have closed. */
  waitedMs?: number;
  /** When its roll was frozen, by people or while a health check failed; ISO 8601. Of a completed step. */
  held?: { from: string; to: string }[];
  /** Of a step under way: what `expectedMs` was learnt from. */
  usual?: Usual;
  /** Of a step under way that takes longer than it usually does. */
  late?: Late;
}

export interface Rolled {
  doneCount: number;
  totalCount: number;
  /** "node", "node group" */
  unit: string;
}

export type UpgradeState = 'planning' | 'waiting' | 'running' | 'paused' | 'completed' | 'stopped' | 'aborted' | 'failed' | 'refused';

export interface FreezeView {
  state: 'none' | 'frozen' | 'pacing' | 'lifted' | 'kept' | 'not-restored';
  note?: string;
  /** When it begins: the control plane's version then. */
  controlPlane?: string;
}

export interface UpgradeStatus {
  workflowId: string;
  runId: string;
  cluster: ClusterRef;
  from?: string;
  to: string;
  /** The step of the run before that this one takes back; `from` and `to` are then the same. */
  undoes?: string;
  state: UpgradeState;
  /** One sentence: how it ended or what it waits for. */
  headline: string;
  requestedBy: Actor;
  /** Who asked for it before it was handed over. */
  formerly?: Actor[];
  startedAt: string;
  endedAt?: string;
  planHash?: string;
  steps: StepView[];
  /** The open gate, wherever it is, with the workflow that owns it. */
  gates: (OpenGate & { workflowId: string })[];
  /** Newest entry of the run's audit record. */
  audit?: AuditHead;
  freeze: FreezeView;
  /** The last minor that the control plane has left, and until when EKS takes it back there (ISO 8601). */
  takeBack?: { to: string; until: string };
  /** Who ended the run in order to go back. */
  goBack?: Actor;
  /** Nobody polls the task queue of the cluster's network, or nobody can say: one sentence. What is about the cluster waits meanwhile. */
  waitsForWorker?: string;
  /** The ring that the run was started for; absent: people started it by itself. */
  campaign?: Pick<CampaignRun, 'name' | 'ring'>;
  /** What is wrong with the cluster itself now: one line; absent: nothing is known to be. */
  trouble?: string;
  pauseRequested: boolean;
  /** Counts up with each change: what a button carries. */
  revision: number;
}

/** How a run ended; written to the record and told in the thread. */
export interface UpgradeReport {
  status: UpgradeStatus;
  outcome: 'completed' | 'stopped' | 'aborted' | 'failed' | 'refused';
  decisions: GateState[];
  /** What could not be restored, or is kept on purpose, said loudly. */
  leftBehind: { what: string; why: string; kept: boolean }[];
  /** Whether what the run has changed stood in code, too, when it ended; absent: nothing of the kind, or nobody looked. */
  merges?: MergeFinding[];
  /** What people were told of the cluster's own state, in order. */
  watched?: { at: string; what: string }[];
  /** Where what the cluster was like before the first change is written; `leftOut`: the first few of what is not in it. Absent: nothing was changed, or it could not be captured. */
  rollbackPoint?: { location: string; leftOut: string[]; leftOutCount: number };
  /** Newest entry of the audit record; `unwritten`: entries that could not be appended. Absent: the run kept none. */
  audit?: { head: AuditHead; unwritten?: AuditEvent[] };
}

export type Late = 'slower' | 'stuck';
