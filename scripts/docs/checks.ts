/** docs/reference/checks.md: the catalogue of readiness, what it reads, and the checks of what an upgrade has done. */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { UPGRADE_CHECKS } from '../../activities/observe/checks/catalogue.ts';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import type { Area, Check } from '../../domain/readiness/model/check.ts';
import { DEALT_WITH } from '../../domain/readiness/in-upgrade.ts';
import { permissionNames, SOURCE_IDS, SOURCES, type Source, type SourceId } from '../../domain/readiness/model/sources.ts';
import { code, GENERATED, list, next, page, sentence } from './markdown.ts';

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
      'For whoever reads a report or a gate and asks what a code means. A check passes, fails, or is **unknown**: it could not see what it needs, and names the missing permission or connection. Unknown is never a pass.',
      '`belay check` runs all of [readiness](../check.md). An upgrade runs it before each hop (`pre-checks`), and [further checks](#what-an-upgrade-has-done) after the control plane moved (`bake`, twice), after each node group, and at the end (`validation`).',
      'A **required** check that fails or is unknown stops an upgrade at a gate: Retry, Skip with a reason, or Abort. Unmarked checks are recommended and stop nothing; nor do [waived](../check.md#waivers) ones, which remain visible.',
    ],
    '## Readiness',
    'Code (linked to its source), *what must be true*, remedy, what is [read](#what-is-read), and later phases that repeat it (↻).',
    ...Object.entries(AREAS).flatMap(([area, title]) => [
      `### ${title}`,
      list(CATALOGUE.filter((check) => check.area === area).map(entry)),
    ]),
    '### What a later step deals with',
    'Required in `belay check`, these are recommendations before a hop if the plan has the step, and the step covers what the finding names.',
    list(Object.entries(DEALT_WITH).map(([each, { phase, does }]) => `${code(each)}: ${code(phase)} ${does}`)),
    '### What is read',
    'The permissions each reading needs. `belay check --permissions` prints the sum, [deploy/](../../deploy/README.md#aws-rights) grants it. *Optional* readings need `optionalRole: true` in belay.yaml; without it their checks are unknown, which stops no upgrade.',
    list(SOURCE_IDS.map(sourceEntry)),
    '## What an upgrade has done',
    list(
      [...UPGRADE_CHECKS]
        .filter(([each]) => !CATALOGUE.some((check) => check.code === each))
        .map(
          ([each, { severity, title, runs }]) => `${code(each)} ${severityOf(severity)}${sentence(title)} ↻ ${runs.map(code).join(' ')}`,
        ),
    ),
    '## Findings of a plan',
    'Shown with the plan before approval; only [rules](rules.md) forbid a plan.',
    list(planFindings()),
    next('Rules', 'rules.md'),
  );
}

function entry(check: Check): string {
  const again = UPGRADE_CHECKS.get(check.code)?.runs ?? [];
  const runs = again.length === 0 ? '' : ` ↻ ${again.map(code).join(' ')}`;
  const claim = `${severity(check)}*${sentence(check.title)}*`;
  return `${link(check)} ${claim} ${sentence(check.remediation)} ${check.reads.map(code).join(' ')}${runs}`;
}

/** "recommended from 1.32, **required** from 1.33 "; nothing for recommended ones, as the page says once. */
function severity({ severity: either }: Check): string {
  if (typeof either === 'string') return severityOf(either);
  return `${either.map(({ from, severity: each }) => `${weight(each)} from ${from}`).join(', ')} `;
}

const severityOf = (severity: string): string => (severity === 'required' ? `${weight(severity)} ` : '');
const weight = (severity: string): string => (severity === 'required' ? `**${severity}**` : severity);

/** The code, which leads to the source of the fact where that has an address. */
function link({ code: each, source }: Check): string {
  if (source.startsWith('https://')) return `[${code(each)}](${source})`;
  return source.startsWith('docs/') ? `[${code(each)}](${posix.relative('docs/reference', source)})` : `${code(each)} (${source})`;
}

/** Of the others the permissions say what is read. */
const SAID: ReadonlySet<SourceId> = new Set(['quotas', 'instanceQuotas', 'amiBuilds', 'apiObjects', 'helmReleases', 'kubeProxy']);

function sourceEntry(id: SourceId): string {
  const source: Source = SOURCES[id];
  const what = `${SAID.has(id) ? `, ${source.what}` : ''}${source.optional === true ? ' (*optional*)' : ''}`;
  const quicker = source.quicker === undefined ? '' : `; with ${source.quicker.join(', ')} less has to be read`;
  return `${code(id)}${what}: ${permissions(source)}${quicker}`;
}

/** Of Kubernetes by verb: "eks:DescribeAddon; get deployments.apps, daemonsets.apps". */
function permissions(source: Source): string {
  const byVerb = new Map<string, string[]>();
  for (const name of permissionNames(source)) {
    const [verb = '', resource] = name.split(' on ');
    const group = resource === undefined ? '' : `${verb} `;
    byVerb.set(group, [...(byVerb.get(group) ?? []), resource ?? verb]);
  }
  return [...byVerb].map(([verb, names]) => `${verb}${names.join(', ')}`).join('; ');
}

/** Their texts depend on the cluster; code and title stand in the sources side by side. */
function planFindings(): string[] {
  const folder = new URL('../../domain/plan/findings/', import.meta.url);
  const rows = readdirSync(folder).flatMap((name) => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    return [...source.matchAll(/code: '(PLN\d+)',\s*title: '([^']+)'/g)].map(([, found = '', title = '']) => `${code(found)} ${title}`);
  });
  if (rows.length === 0) throw new Error('domain/plan/findings/ has no codes with titles any more: change scripts/docs/checks.ts.');
  return rows.sort();
}
