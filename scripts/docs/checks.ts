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
      'For whoever reads a report or a gate and wants to know what a code means. A check passes, fails, or is **unknown**: it could not see what it must know, and names the missing permission or connection. Unknown is never a pass.',
      '`belay check` runs all of [readiness](../check.md). An upgrade runs it before each hop (`pre-checks`), and [further checks](#what-an-upgrade-has-done) after the control plane moved (`bake`, twice), after each node group, and at the end (`validation`).',
      'In an upgrade, a **required** check that fails or is unknown stops the step at a gate: Retry, Skip with a reason, or Abort. A *recommended* one is evidence and stops nothing; nor does a [waived](../check.md#waivers) one, which stays visible.',
    ],
    '## Readiness',
    'Code (linked to the source of the fact), severity, what has to be true, remedy (→), what is [read](#what-is-read), and the later phases that run it again (↻).',
    ...Object.entries(AREAS).flatMap(([area, title]) => [
      `### ${title}`,
      list(CATALOGUE.filter((check) => check.area === area).map(entry)),
    ]),
    '### What a later step deals with',
    'These fail in `belay check`; before a hop they are recommendations, if the plan has the step.',
    list(Object.entries(DEALT_WITH).map(([each, { phase, does }]) => `${code(each)}: ${code(phase)} ${does}`)),
    '### What is read',
    'The minimum for each reading. `belay check --permissions` prints the sum, [deploy/](../../deploy/README.md#aws-rights) grants it. Readings marked *optional* are off until belay.yaml says `optionalRole: true`; their checks are unknown until then, which stops no upgrade.',
    list(SOURCE_IDS.map(sourceEntry)),
    '## What an upgrade has done',
    list(
      [...UPGRADE_CHECKS]
        .filter(([each]) => !CATALOGUE.some((check) => check.code === each))
        .map(([each, { severity, title, runs }]) => `${code(each)} ${weight(severity)} ${sentence(title)} ↻ ${runs.map(code).join(' ')}`),
    ),
    '## Findings of a plan',
    'Shown with the plan, before approval. They forbid nothing; what forbids a plan is a [rule](rules.md).',
    list(planFindings()),
    next('Rules', 'rules.md'),
  );
}

function entry(check: Check): string {
  const again = UPGRADE_CHECKS.get(check.code)?.runs ?? [];
  const runs = again.length === 0 ? '' : ` ↻ ${again.map(code).join(' ')}`;
  return `${link(check)} ${severity(check)} ${sentence(check.title)} → ${sentence(check.remediation)} ${check.reads.map(code).join(' ')}${runs}`;
}

/** "*recommended* from 1.32, **required** from 1.33" */
function severity({ severity: either }: Check): string {
  return typeof either === 'string' ? weight(either) : either.map(({ from, severity: each }) => `${weight(each)} from ${from}`).join(', ');
}

const weight = (severity: string): string => (severity === 'required' ? `**${severity}**` : `*${severity}*`);

/** The code, which leads to the source of the fact where that has an address. */
function link({ code: each, source }: Check): string {
  if (source.startsWith('https://')) return `[${code(each)}](${source})`;
  return source.startsWith('docs/') ? `[${code(each)}](${posix.relative('docs/reference', source)})` : `${code(each)} (${source})`;
}

function sourceEntry(id: SourceId): string {
  const source: Source = SOURCES[id];
  return `${code(id)}, ${source.what}${source.optional === true ? ' (*optional*)' : ''}: ${permissions(source)}`;
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
