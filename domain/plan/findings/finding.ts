/** Builds findings of a plan: what does not forbid it, and people should know before they approve it. */
import { concerning, type Finding } from '../../core/findings.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import type { ClusterFacts, HealthIssue } from '../../facts/facts.ts';
import { someOf } from '../../core/text.ts';
import type { Draft } from '../state/draft-plan.ts';
import { defined } from '../../core/defined.ts';

export interface FindingContext {
  facts: ClusterFacts;
  draft: Draft;
  target: KubernetesVersion;
  /** ISO 8601 */
  now: string;
}

export interface FindingInput {
  code: string;
  title: string;
  severity?: Finding['severity'];
  status?: Finding['status'];
  message: string;
  resources?: readonly string[];
  remediation?: string;
}

/** Recommended and failed unless said otherwise. */
export function finding({ code, title, severity, status, message, resources = [], remediation }: FindingInput): Finding {
  return {
    code,
    title,
    severity: severity ?? 'recommended',
    status: status ?? 'fail',
    message,
    ...concerning(resources),
    ...defined({ remediation }),
  };
}

/** "system (DEGRADED, NodeCreationFailure)": status and issues behind the name. */
export function withCondition({
  name,
  status,
  healthIssues,
}: {
  name: string;
  status: string;
  healthIssues: readonly HealthIssue[];
}): string {
  return `${name} (${[status, ...healthIssues.map((issue) => issue.code)].join(', ')})`;
}

/** One finding about all of these resources; none where there are none. */
export function findingAbout<T>(items: readonly T[], name: (item: T) => string, input: (names: string) => FindingInput): Finding[] {
  if (items.length === 0) return [];
  const names = items.map(name);
  return [finding({ ...input(someOf(names)), resources: names })];
}
