/** Builds findings of a plan: what does not forbid it, and people should know before they approve it. */
import type { Finding } from '../../findings.ts';
import type { KubernetesVersion } from '../../version.ts';
import type { ClusterFacts } from '../../facts.ts';
import type { Draft } from '../draft.ts';

export interface FindingContext {
  facts: ClusterFacts;
  draft: Draft;
  target: KubernetesVersion;
  /** ISO 8601 */
  now: string;
}

/** Resources shown by name; the count is of all. */
const SHOWN = 5;

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
    resources: resources.slice(0, SHOWN),
    resourceCount: resources.length,
    ...(remediation === undefined ? {} : { remediation }),
  };
}

/** One finding about all of these resources; none where there are none. */
export function findingAbout<T>(items: readonly T[], name: (item: T) => string, input: (names: string) => FindingInput): Finding[] {
  if (items.length === 0) return [];
  const names = items.map(name);
  const rest = names.length - SHOWN;
  const text = rest > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${rest} more` : names.join(', ');
  return [finding({ ...input(text), resources: names })];
}
