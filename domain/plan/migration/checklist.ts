/** The order of a migration of Karpenter's API, with what is true of it in a cluster already. Sources: the v1beta1 and v1 migration guides. */
import { type ComponentVersion, tryComponentVersion } from '../../core/component-version.ts';
import type { MigrationState } from './state.ts';

/** `unknown` is never `done`: somebody has to look. */
export type StepState = 'done' | 'open' | 'broken' | 'unknown';

/** What a step is called by those who walk the list. */
export type MigrationStepId =
  | 'kubernetes'
  | 'patch'
  | 'conversion'
  | 'iam'
  | 'definitions'
  | 'controller'
  | 'webhooks'
  | 'manifests'
  | 'kubelet'
  | 'stored'
  | 'nodes'
  | 'old-objects'
  | 'beyond';

export interface MigrationStep {
  id: MigrationStepId;
  title: string;
  state: StepState;
  /** What was seen, or what could not be. */
  seen: string;
  /** What to do, in words and commands; absent where it is done. */
  fix?: string;
}

/** What is known besides the cluster. */
export interface Beside {
  /** Karpenter's objects and workloads that are still written in the older API; undefined: not all could be read. */
  left?: { own: number; workloads: number };
  /** Gaps of the policy document that people gave; undefined: they gave none. */
  iamGaps?: number;
}

export type Verdict = Omit<MigrationStep, 'id' | 'title'>;

export const done = (seen: string): Verdict => ({ state: 'done', seen });
export const open = (seen: string, fix: string): Verdict => ({ state: 'open', seen, fix });
export const broken = (seen: string, fix: string): Verdict => ({ state: 'broken', seen, fix });
export const unknown = (seen: string, fix = 'See what could not be read, below.'): Verdict => ({ state: 'unknown', seen, fix });

/** The controller's version, judged where there is one. */
export function byVersion({ controller }: MigrationState, judge: (version: ComponentVersion, text: string) => Verdict): Verdict {
  if (controller === undefined) return unknown('Karpenter’s version could not be read.');
  if (controller === 'none')
    return unknown('No Deployment has the label app.kubernetes.io/name=karpenter.', 'Say which Karpenter runs: `helm list -A`.');
  const version = tryComponentVersion(controller.version);
  return version === undefined ? unknown(`"${controller.version}" is no version.`) : judge(version, controller.version);
}

/** The permissions, by the document that people gave. */
export function iamStep({ iamGaps }: Beside, why: string): Verdict {
  if (iamGaps === undefined) return unknown(`${why} No policy was looked at.`, 'Give the controller’s policy document: --iam-policy FILE.');
  if (iamGaps === 0) return done('The policy that was given has all of it.');
  return open(`${why} The policy that was given lacks something.`, 'Add what is listed under "IAM policy", below.');
}
