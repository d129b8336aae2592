/** docs/checks.md: the catalogue of checks. */
import { readdirSync, readFileSync } from 'node:fs';
import { type CheckCode, CHECKS } from '../../activities/checks/catalogue.ts';
import { code, GENERATED, page, table } from './markdown.ts';

const AREAS: readonly { prefix: string; title: string }[] = [
  { prefix: 'EKS', title: 'EKS: control plane, node groups, add-ons, insights' },
  { prefix: 'K8S', title: 'Kubernetes: versions, skew, nodes, budgets' },
  { prefix: 'KAR', title: 'Karpenter' },
  { prefix: 'IST', title: 'Istio' },
];

export function checksDocument(): string {
  const codes = Object.keys(CHECKS).filter((known): known is CheckCode => Object.hasOwn(CHECKS, known));
  const stray = codes.filter((known) => !AREAS.some(({ prefix }) => known.startsWith(prefix)));
  if (stray.length > 0) throw new Error(`scripts/docs/checks.ts has no area for ${stray.join(', ')}.`);
  return page(
    '# Checks',
    GENERATED,
    [
      'Checks run before each hop (`pre-checks`), after the control plane has moved (`bake`, twice), after each node group, and at the end (`validation`).',
      'A check passes, fails, or is **unknown**: it could not see what it must know, and says which permission or connection was missing. Unknown is never a pass.',
      'A *required* check that fails or is unknown stops the step at a gate, where people decide: Retry, Skip with a reason, or Abort. A *recommended* one is shown as evidence and stops nothing.',
    ],
    ...AREAS.flatMap(({ prefix, title }) => {
      const rows = codes
        .filter((known) => known.startsWith(prefix))
        .map((known) => [code(known), CHECKS[known].severity, CHECKS[known].title]);
      return rows.length === 0 ? [] : [`## ${title}`, table(['Code', 'Severity', 'What has to be true'], rows)];
    }),
    '## Findings of a plan',
    'Shown with the plan, before anybody approves it. They forbid nothing; what forbids a plan is a [rule](rules.md).',
    table(['Code', 'What people are told'], planFindings()),
  );
}

/** Their texts depend on the cluster; code and title stand in the sources side by side. */
function planFindings(): string[][] {
  const folder = new URL('../../domain/plan/findings/', import.meta.url);
  const rows = readdirSync(folder).flatMap((name) => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    return [...source.matchAll(/code: '(PLN\d+)',\s*title: '([^']+)'/g)].map(([, found = '', title = '']) => [code(found), title]);
  });
  if (rows.length === 0) throw new Error('domain/plan/findings/ has no codes with titles any more: change scripts/docs/checks.ts.');
  return rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}
