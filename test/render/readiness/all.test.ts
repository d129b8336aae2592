/** Readiness of many clusters in every format. */
import { expect, test } from 'vitest';
import { renderCheckAll, verdictOf } from '../../../cli/render/check-all.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import type { ManyChecks } from '../../../domain/readiness/many.ts';
import { type ReadinessReport, reportReadiness, selectChecks } from '../../../domain/readiness/report.ts';
import { renderAllHtml, renderAllJson, renderAllJunit, renderAllMarkdown } from '../../../render/readiness/all.ts';
import { blindTo, CONTEXT, evidence, workload } from '../../domain/readiness/healthy.ts';

const place = (name: string) => ({ name, account: '111122223333', region: 'eu-west-1' });

function report(name: string, found: ReturnType<typeof evidence>): ReadinessReport {
  const checks = selectChecks(CATALOGUE, { only: ['K8S012', 'AWS008'] });
  return reportReadiness({ cluster: place(name), checks, evidence: found, context: CONTEXT });
}

const CHECKS: ManyChecks = {
  schemaVersion: 1,
  clusters: [
    { cluster: place('fine'), kind: 'report', report: report('fine', evidence({ workloads: [workload({ replicas: 1 })] })) },
    { cluster: place('blind'), kind: 'report', report: report('blind', blindTo(['quotas'])) },
    { cluster: place('there'), kind: 'there', version: '1.33', target: '1.33' },
    { cluster: place('ahead'), kind: 'there', version: '1.34', target: '1.33' },
    { cluster: place('newest'), kind: 'newest', version: '1.36' },
    { cluster: place('gone'), kind: 'unread', why: 'EKS knows no cluster <gone>' },
  ],
};

test('a terminal: what could not be seen first, then a line for each', () => {
  expect(renderCheckAll(CHECKS)).toBe(`? blind  111122223333 eu-west-1
    ready for 1.33 as far as could be seen (0 required, 0 recommended, 1 unknown)
    unknown: AWS008
? gone  111122223333 eu-west-1
    could not be checked: EKS knows no cluster <gone>

CLUSTER  ACCOUNT       REGION     FROM  TARGET  VERDICT   REQ  REC  UNKNOWN
fine     111122223333  eu-west-1  1.32  1.33    ready     0    1    0
blind    111122223333  eu-west-1  1.32  1.33    unknown   0    0    1
there    111122223333  eu-west-1  1.33  1.33    there     -    -    -
ahead    111122223333  eu-west-1  1.34  1.33    there     -    -    -
newest   111122223333  eu-west-1  1.36  -       newest    -    -    -
gone     111122223333  eu-west-1  ?     ?       not read  ?    ?    ?`);
});

test('JSON holds every report, with a schema version', () => {
  expect(JSON.parse(renderAllJson(CHECKS))).toEqual(JSON.parse(JSON.stringify(CHECKS)));
});

test('JUnit: suites of all, and an error for the one that could not be read', () => {
  const xml = renderAllJunit(CHECKS);
  expect(xml).toContain('<testsuites name="belay check --all" tests="5" failures="1" errors="2" skipped="0">');
  expect(xml).toContain(
    '<testsuite name="gone" tests="1" failures="0" errors="1" skipped="0"><testcase classname="EKS" name="The cluster can be read"><error type="required" message="EKS knows no cluster &lt;gone&gt;">',
  );
});

test('Markdown: a chapter for each, those without a report as well', () => {
  const chapters = renderAllMarkdown(CHECKS, verdictOf)
    .split('\n')
    .filter((line) => line.startsWith('# '));
  expect(chapters).toEqual(['# fine: 1.32 → 1.33', '# blind: 1.32 → 1.33', '# there', '# ahead', '# newest', '# gone']);
  expect(renderAllMarkdown(CHECKS, verdictOf)).toContain('# fine: 1.32 → 1.33');
});

test('HTML: an index that leads to what is required or unknown, and names as they are', () => {
  const html = renderAllHtml(CHECKS, verdictOf);
  expect(html).toContain('<a href="#c1">blind</a>');
  expect(html).toContain('<article class="unknown" id="c1">');
  expect(html).not.toContain('id="c0"');
  expect(html).toContain('<span class="verdict unread">could not be checked: EKS knows no cluster &lt;gone&gt;</span>');
});
