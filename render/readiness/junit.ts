/** The readiness report as JUnit XML: one test case for each finding, grouped by area. Unknown is an error, waived is skipped. */
import { placeOf } from './shared.ts';
import type { CheckFinding } from '../../domain/readiness/model/check.ts';
import type { JudgedFinding } from '../../domain/readiness/model/waivers.ts';
import type { ReadinessReport } from '../../domain/readiness/report.ts';
import { escapeMarkup } from '../page/markup.ts';

/** Suites of one cluster, with their sums. */
export interface JunitSuites {
  xml: string;
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
}

export const renderCheckJunit = (report: ReadinessReport): string => junitOf(`belay check ${report.cluster.name}`, [suitesOf(report)]);

/** The whole file. */
export function junitOf(name: string, suites: readonly JunitSuites[]): string {
  const sum = (of: 'tests' | 'failures' | 'errors' | 'skipped'): string => String(suites.reduce((all, each) => all + each[of], 0));
  const sums = { tests: sum('tests'), failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped') };
  const children = suites.map(({ xml }) => xml);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name, ...sums }, children)}\n`;
}

export function suitesOf({ cluster, target, findings, checkedAt }: ReadinessReport): JunitSuites {
  const suites = [...Map.groupBy(findings, ({ area }) => area)].map(([area, own]) =>
    element('testsuite', { name: `${cluster.name} ${target} ${area}`, timestamp: checkedAt, ...texts(totals(own)) }, own.map(testCase)),
  );
  return { xml: suites.join(''), ...totals(findings) };
}

/** Of a cluster that could not be read: one error. */
export function unreadSuite(cluster: string, why: string): JunitSuites {
  const sums = { tests: 1, failures: 0, errors: 1, skipped: 0 };
  const error = element('testcase', { classname: 'EKS', name: 'The cluster can be read' }, [
    element('error', { type: 'required', message: why }, [escaped(why)]),
  ]);
  return { xml: element('testsuite', { name: cluster, ...texts(sums) }, [error]), ...sums };
}

const texts = (sums: Omit<JunitSuites, 'xml'>): Record<string, string> =>
  Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, String(sum)]));

/** Recommended findings fail a test as well: who wants them not to uses --fail-on required. */
function totals(findings: readonly JudgedFinding[]): Omit<JunitSuites, 'xml'> {
  const of = (status: CheckFinding['status']): number =>
    findings.filter((each) => each.status === status && each.waived === undefined).length;
  const skipped = findings.filter(({ waived }) => waived !== undefined).length;
  return { tests: findings.length, failures: of('fail'), errors: of('unknown'), skipped };
}

function testCase({ code, title, area, status, severity, message, resources, remediation, waived }: JudgedFinding): string {
  const details = [
    message,
    ...resources.map((resource) => `${placeOf(resource)}${resource.note === undefined ? '' : `: ${resource.note}`}`),
    ...(remediation === undefined ? [] : [`Do: ${remediation}`]),
  ].join('\n');
  const body = status === 'pass' ? [] : [element(status === 'fail' ? 'failure' : 'error', { type: severity, message }, [escaped(details)])];
  if (waived !== undefined) {
    const why = `Waived by ${waived.by} until ${waived.until}: ${waived.reason}`;
    return element('testcase', { classname: area, name: `${code} ${title}` }, [element('skipped', { message: why }, [])]);
  }
  return element('testcase', { classname: area, name: `${code} ${title}` }, body);
}

function element(name: string, attributes: Record<string, string>, children: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${written.join('')}>${children.join('')}</${name}>`;
}

/** XML 1.0 has no control characters, not even escaped ones. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return escapeMarkup(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ''));
}
