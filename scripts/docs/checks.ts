/** docs/checks.md: the catalogue of readiness, what it reads, and the checks of what an upgrade has done. */
import { readdirSync, readFileSync } from 'node:fs';
import { UPGRADE_CHECKS } from '../../activities/observe/checks/catalogue.ts';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import type { Area, Check } from '../../domain/readiness/model/check.ts';
import { DEALT_WITH } from '../../domain/readiness/in-upgrade.ts';
import { permissionNames, SOURCE_IDS, SOURCES, type Source, type SourceId } from '../../domain/readiness/model/sources.ts';
import { code, GENERATED, page, table } from './markdown.ts';

const AREAS: Record<Area, string> = {
  EKS: 'EKS: control plane, insights, node groups, add-ons',
  AWS: 'AWS around the cluster',
  Kubernetes: 'Kubernetes',
  Karpenter: 'Karpenter',
  Istio: 'Istio',
  Ownership: 'Ownership',
};

export function checksDocument(): string {
  return page(
    '# Checks',
    GENERATED,
    [
      'A check passes, fails, or is **unknown**: it could not see what it must know, and says which permission or connection was missing. Unknown is never a pass.',
      '`belay check` runs all of readiness. An upgrade runs it before each hop (`pre-checks`), and further checks of what it has done after the control plane has moved (`bake`, twice), after each node group, and at the end (`validation`).',
      'In an upgrade a *required* check that fails or is unknown stops the step at a gate, where people decide: Retry, Skip with a reason, or Abort. A *recommended* one is shown as evidence and stops nothing, and neither does a [waived](configuration.md) one, which stays visible.',
    ],
    '## Readiness',
    ...Object.entries(AREAS).flatMap(([area, title]) => [
      `### ${title}`,
      table(
        ['Code', 'Severity', 'What has to be true', 'Reads', 'Where it fails', 'Source', 'Runs again in'],
        CATALOGUE.filter((check) => check.area === area).map(row),
      ),
    ]),
    '### What a later step deals with',
    'Fails in `belay check`; before a hop it is a recommendation, where the plan has the step.',
    table(
      ['Code', 'Step', 'What it does'],
      Object.entries(DEALT_WITH).map(([each, { phase, does }]) => [code(each), code(phase), does]),
    ),
    '### What is read',
    'The least that each reading needs. `belay check --permissions` prints the sum, [deploy/](../deploy/README.md#rights) grants it. What needs an optional role is off until belay.yaml says `optionalRole: true`; a check that reads it is unknown until then, and stops no upgrade by that.',
    table(['Name', 'What', 'Permissions', 'Role'], SOURCE_IDS.map(sourceRow)),
    '## What an upgrade has done',
    table(
      ['Code', 'Severity', 'What has to be true', 'Runs in'],
      [...UPGRADE_CHECKS]
        .filter(([each]) => !CATALOGUE.some((check) => check.code === each))
        .map(([each, { severity, title, runs }]) => [code(each), severity, title, runs.map(code).join(', ')]),
    ),
    '## Findings of a plan',
    'Shown with the plan, before anybody approves it. They forbid nothing; what forbids a plan is a [rule](rules.md).',
    table(['Code', 'What people are told'], planFindings()),
  );
}

function row(check: Check): string[] {
  const again = UPGRADE_CHECKS.get(check.code)?.runs ?? [];
  const reads = check.reads.map(code).join(', ');
  return [code(check.code), severity(check), check.title, reads, check.remediation, link(check.source), again.map(code).join(', ')];
}

/** "recommended from 1.32, required from 1.33" */
function severity({ severity: either }: Check): string {
  return typeof either === 'string' ? either : either.map(({ from, severity: each }) => `${each} from ${from}`).join(', ');
}

function link(source: string): string {
  if (source.startsWith('https://')) return `[${new URL(source).hostname}](${source})`;
  return source.startsWith('docs/') ? `[${source}](${source.slice('docs/'.length)})` : source;
}

function sourceRow(id: SourceId): string[] {
  const source: Source = SOURCES[id];
  return [code(id), source.what, permissionNames(source).join(', '), source.optional === true ? 'optional' : ''];
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
