/** What a run tells people. Rendered by slack/blocks, delivered by a Notifier; each has a key, so that a retry never posts twice. */
import type { AuditHead } from '../gates/audit.ts';
import type { PlanOrder } from '../policy/environments.ts';
import type { GateState } from '../gates/gate.ts';
import type { IacNote } from './code-changes/note.ts';
import type { HealthCurve } from '../health/curves.ts';
import type { PlanForecast } from '../plan/forecast/quoted.ts';
import type { RuleViolation, UpgradePlan } from '../plan/model/types.ts';
import type { ReadinessChange, ReadinessSummary } from '../readiness/summary.ts';
import type { ForecastSummary } from './forecasts/summary.ts';
import type { UpgradeReport, UpgradeStatus } from './record/status.ts';
import type { PlanWindows, WeeklyHours } from '../policy/windows.ts';
import type { ClusterRef } from '../core/cluster-ref.ts';
import type { Actor } from '../gates/actor.ts';
import type { Ask } from './record/change-requests.ts';
import type { RingMessage } from './campaign/ring-message.ts';
import type { BundleView } from './campaign/bundles.ts';
import type { CampaignView } from './campaign/view.ts';
import type { KnownProposal } from './proposals/state.ts';

/** Where a message went. */
export interface MessageRef {
  channel: string;
  ts: string;
}

/** Who has to act: `of`, or whoever may make the change. `until`: ISO 8601, when the step gives up and fails; absent: nothing waits for it. */
export interface Due {
  of: Actor;
  until?: string;
}

export type Notification =
  | MessageNotification
  /** In the thread: health checks at a gate, drawn. A picture alone, which nothing waits for. */
  | { kind: 'curves'; gate: string; curves: HealthCurve[] }
  /** Below the message with the key `below`: a text as a file, there once by its name. Nothing waits for it either. */
  | { kind: 'file'; below: string; fileName: string; title: string; content: string };

/** What is said in words. */
export type MessageNotification =
  /** The board: posted once, edited in place. `quiet`, here and below: for the thread alone, not for the channel of stakeholders. */
  | { kind: 'board'; status: UpgradeStatus; plan?: UpgradePlan; temporalUi?: string; approvers?: string[]; quiet?: true }
  /** In the thread: the plan, before anything runs. */
  | { kind: 'plan'; plan: UpgradePlan; windows?: PlanWindows; order?: PlanOrder; forecast?: PlanForecast }
  /** In the thread: a gate; edited when it is decided, expires or is withdrawn. `mention`: approvers' user and group ids. */
  | {
      kind: 'gate';
      state: GateState;
      workflowId: string;
      revision: number;
      mention: { users: string[]; groups: string[] };
      /** Who may vote, for those of them who asked for direct messages. Absent: nobody is asked, or quiet hours hold it back. */
      voters?: Voters;
      reminder?: boolean;
      /** ISO 8601: when it became due. It tells reminders of one gate apart: each is a message of its own. */
      remindedAt?: string;
      /** ISO 8601: quiet hours have ended in which the mention was held back; a reminder that goes out for that. */
      afterQuiet?: string;
      /** The newest entry of the audit record at that moment. */
      record?: AuditHead;
    }
  /** In the thread: one line; `mention`: a person whom it is for. `due`: somebody has to act, and by when. */
  | { kind: 'note'; level: 'info' | 'warning' | 'alarm'; text: string; ask?: Ask; broadcast?: boolean; mention?: Actor; due?: Due }
  /** In the thread: how fast Karpenter replaces its nodes, with buttons to change that; edited in place. */
  | { kind: 'pace'; pace: PaceView }
  /** In the thread: how the run ended. */
  | { kind: 'report'; report: UpgradeReport; notes?: IacNote[]; quiet?: true }
  /** A campaign's board: the root of its own thread, edited in place. */
  | { kind: 'campaign'; view: CampaignView }
  /** A campaign that is proposed: the root of its own thread, edited where it is dismissed. */
  | { kind: 'proposal'; known: KnownProposal }
  /** A campaign's ring: the root of a thread of its own beside the board's, edited in place. */
  | { kind: 'ring'; ring: RingMessage }
  /** In the campaign's thread: equal gates of a ring's runs, offered together; edited in place. */
  | { kind: 'bundle'; view: BundleView }
  /** A readiness check: the root of its own thread, edited in place. */
  | { kind: 'check'; check: CheckView }
  /** A forecast: likewise. */
  | { kind: 'forecast'; forecast: ForecastView };

/** The pace of one step. */
export interface PaceView {
  workflowId: string;
  step: string;
  title: string;
  /** As domain/policy/pace has it. */
  pace: string;
  /** Who has set it; absent: it is the plan's. */
  by?: Actor;
  reason?: string;
  /** The paces that the plan takes one after the other. */
  plan: string[];
  offered: string[];
  replacedCount?: number;
  remainingCount?: number;
  /** Counts up: tells presses on different states of the message apart. */
  revision: number;
  /** How it ended, in one sentence; then there are no buttons. */
  ended?: string;
}

/** How a readiness check is getting on. */
export interface CheckView {
  cluster: ClusterRef;
  /** "1.34" */
  target: string;
  requestedBy: Actor;
  /** ISO 8601 */
  startedAt: string;
  progress: { kind: 'running' } | { kind: 'failed'; why: string } | ({ kind: 'done' } & CheckResult);
}

export interface CheckResult {
  summary: ReadinessSummary;
  /** Against the check that this one repeats; absent: there is none. */
  change?: ReadinessChange;
  /** Why the whole report is not attached; absent: it is. */
  notAttached?: string;
}

/** Slack user and group ids. `except`: may not vote, though they are named or in a group: whoever asked for the run, under four eyes. */
export interface Voters {
  users: string[];
  groups: string[];
  except: string[];
}

/** How a forecast is getting on. */
export interface ForecastView extends Omit<CheckView, 'progress'> {
  progress: { kind: 'running' } | { kind: 'failed'; why: string } | ForecastOutcome;
}

export type ForecastOutcome =
  /** The plan breaks rules: there is nothing to play. */
  | { kind: 'refused'; violations: RuleViolation[] }
  /** `notKept`: why the plan's gate will not show it; `notAttached`: why the page is not in the thread. */
  | { kind: 'made'; summary: ForecastSummary; notKept?: string; notAttached?: string };

/** A file for the thread of a message, there once: by its name. */
export interface Attachment {
  thread: MessageRef;
  fileName: string;
  title: string;
  /** Text, or the bytes of a picture. */
  content: string | Uint8Array;
}

export interface PublishInput<N extends Notification = Notification> {
  /** Parent workflow id and run id: the board's key. */
  upgrade: { workflowId: string; runId: string };
  channel: string;
  /** Unique in the thread: `board`, `gate/<gate id>`, `blocked/<step>.<round>`, `ring/<name>`, `note/<step>/<n>`. The same key is edited in place. */
  key: string;
  notification: N;
  /** Where the message with this key already is, if known; of a file, the message that it goes below. */
  known?: MessageRef;
  /** A second channel, which hears of starts, open gates and ends alone. */
  stakeholders?: string;
  /** Quiet hours: whoever is mentioned reads it, and hears nothing of it. */
  quiet?: true;
}

/** What is told at one go, in this order. */
export interface PublishManyInput {
  upgrade: PublishInput['upgrade'];
  channel: string;
  stakeholders?: string;
  messages: Pick<PublishInput, 'key' | 'notification' | 'known'>[];
  /** Nobody is mentioned then. */
  quietHours?: WeeklyHours[];
}

/** What became of one message; neither `ref` nor `refused` where no Slack is used. */
export interface Delivery {
  key: string;
  ref?: MessageRef;
  /** People were not mentioned, for quiet hours that end in so many milliseconds. */
  heldForMs?: number;
  /** Slack refuses it for good: one sentence. */
  refused?: string;
}
