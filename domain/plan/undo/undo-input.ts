/** What the way back of one step is planned from, and what comes out. */
import type { AmiBuild } from '../../facts/ami-names.ts';
import type { ClusterFacts } from '../../facts/facts.ts';
import type { Finding } from '../../core/findings.ts';
import type { UpgradePolicy } from '../../policy/policy.ts';
import type { RollbackPointRecord } from '../../facts/rollback-point.ts';
import type { WayBack } from '../../facts/rollback-window.ts';
import { formatKubernetesVersion } from '../../core/version.ts';
import { capital, utcMinute } from '../../core/text.ts';
import { finding } from '../findings/finding.ts';
import type { Hop } from '../model/hops.ts';
import { controlPlaneMinor } from '../state/nodes.ts';
import type { PlannedStep, RuleViolation } from '../model/types.ts';
import type { LastRun } from './last-run.ts';

/** What is read beside the facts. `run` undefined: no record of a run that has changed something. */
export interface UndoSeen {
  run: LastRun | undefined;
  /** Whether EKS takes the control plane back now; absent: not read. */
  back?: WayBack;
  /** Absent: it was not written down, or cannot be read. */
  mesh?: MeshBefore;
  kept?: readonly KeptRelease[];
  /** What the cluster was like before that run; absent: not written, or it cannot be read. */
  point?: RollbackPointRecord;
  images?: ImagesSeen;
}

export interface UndoInput extends UndoSeen {
  facts: ClusterFacts;
  policy: UpgradePolicy;
  run: LastRun;
  /** From the control plane's minor to the same: it stays. */
  hop: Hop;
  /** That minor. */
  minor: string;
}

/** What the run's rollback point says of Istio. */
export type MeshBefore = Pick<RollbackPointRecord, 'istioRevisions' | 'istioTags' | 'istioGateways' | 'meshNamespaces' | 'deliveredCharts'>;

/** A revision of Istio that is retired, as Helm's records still have it. */
export interface KeptRelease {
  /** Istio's. */
  revision: string;
  namespace: string;
  name: string;
  /** Of its chart. */
  version: string;
  appVersion: string;
}

/** Images to which node classes may go back. Absent: not asked for. `unseen`: why they could not be read. */
export interface ImagesSeen {
  builds?: AmiBuild[];
  /** Names by id, of those that exist and can be used. */
  names?: Record<string, string>;
  unseen?: string;
}

/** `steps`: without the validation at the end. `findings`: what of the step is not taken back, and why. */
export type UndoWay =
  | { kind: 'way'; steps: PlannedStep[]; findings: Finding[]; until: string; cost: string }
  | { kind: 'none'; violations: RuleViolation[] };

export function undoInput(facts: ClusterFacts, seen: UndoSeen & { run: LastRun }, policy: UpgradePolicy): UndoInput {
  const at = controlPlaneMinor(facts);
  const hop: Hop = { from: at, to: at, first: true, last: true, ahead: [at], rollsNodes: false };
  return { facts, policy, ...seen, hop, minor: formatKubernetesVersion(at) };
}

/** As in the phases' names, with or without the minor: add-ons-target@1.33. Whether there is such a step is the plan's to say. */
export const isStepName = (text: string): boolean => /^[a-z][a-z-]{1,40}(?:@\d{1,2}\.\d{1,3})?$/i.test(text);

/** Rules by which the way back of a step is refused, with codes of their own. */
export function refusal(rule: string, message: string, remedy: string): RuleViolation {
  return { rule, message, remedy };
}

/** Of the last run, which has not done what is to be undone: "moved no node group". */
export const notDone = (run: LastRun, what: string): UndoWay =>
  none(refusal('RBK102', `${capital(runWords(run))} ${what}.`, 'Name a step that it did: belay rollback CLUSTER --list shows them.'));

/** A part of a step that is not taken back while the rest is. */
export const asFinding = ({ rule, message, remedy }: RuleViolation): Finding =>
  finding({ code: rule, title: 'Stays as it is', message, remediation: remedy });

export const none = (...violations: RuleViolation[]): UndoWay => ({ kind: 'none', violations });

/** "2026-02-10 08:00 UTC": which run, in words. */
export const runWords = ({ startedAt }: LastRun): string => `the run of ${utcMinute(startedAt)}`;
