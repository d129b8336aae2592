/** What `--format json` writes is what docs/readiness.schema.json promises. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseReport, renderCheckJson } from '../../../render/readiness/json-report.ts';
import { CATALOGUE } from '../../../domain/readiness/catalogue.ts';
import { diffReports, type ReadinessReport, reportReadiness, selectChecks } from '../../../domain/readiness/report.ts';
import type { Waiver } from '../../../domain/readiness/model/waivers.ts';
import type { Evidence } from '../../../domain/readiness/model/evidence.ts';
import { blindTo, budget, CONTEXT, evidence, workload } from '../../domain/readiness/healthy.ts';

const schema: unknown = JSON.parse(readFileSync(new URL('../../../docs/readiness.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ allErrors: true });
const validate = ajv.compile(schema as object);

function problems(json: string): string[] {
  validate(JSON.parse(json));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const report = (seen: Evidence, waivers: Waiver[] = [], checks = CATALOGUE): ReadinessReport =>
  reportReadiness({
    cluster: { name: 'prod', account: '111122223333', region: 'eu-west-1' },
    checks,
    evidence: seen,
    context: CONTEXT,
    waivers,
  });
const waiver = (until: string): Waiver => ({ check: 'K8S012', resource: 'shop/*', reason: 'batch only', by: 'alex', until });

const single = evidence({ workloads: [workload({ replicas: 1 })] });
const seen = selectChecks(CATALOGUE, { only: ['K8S'] });
const REPORTS: [string, ReadinessReport, ReadinessReport['verdict']][] = [
  ['ready', report(evidence({}), [], selectChecks(CATALOGUE, { only: ['K8S012'] })), 'ready'],
  ['with required findings', report(evidence({ budgets: [budget({ maxUnavailable: 0 })] })), 'required-findings'],
  ['of somebody who may see nothing', report(blindTo(['nodes', 'pods', 'workloads', 'quotas'])), 'unknowns-only'],
  ['with a waived finding', report(single, [waiver('2099-12-31')], seen), 'ready'],
  ['with a waiver that has ended', report(single, [waiver('2020-12-31')], seen), 'ready'],
];

describe('a report', () => {
  test.each(REPORTS)('%s is valid, and comes back as it was', (_title, given, verdict) => {
    expect(given.verdict).toBe(verdict);
    const json = renderCheckJson(given);
    expect(problems(json)).toEqual([]);
    expect(parseReport(json)).toEqual(given);
  });

  test('with what has changed is valid, and is a report to the next --diff', () => {
    const now = report(single);
    const json = renderCheckJson(now, diffReports(report(evidence({ budgets: [budget({ maxUnavailable: 0 })] })), now));
    expect(problems(json)).toEqual([]);
    expect(JSON.parse(json)).toMatchObject({ diff: { fixed: [{ code: 'K8S018' }], added: [{ code: 'K8S012' }] } });
    expect(parseReport(json)).toEqual(now);
  });
});

test.each<[string, object, string]>([
  ['a verdict that there is none of', { verdict: 'fine' }, '/verdict must be equal to one of the allowed values'],
  ['a later shape', { schemaVersion: 2 }, '/schemaVersion must be equal to constant'],
  ['a finding without a code', { findings: [{ area: 'EKS' }] }, "/findings/0 must have required property 'code'"],
])('the schema refuses %s', (_title, wrong, problem) => {
  expect(problems(JSON.stringify({ ...report(evidence({})), ...wrong }))).toContain(problem);
});

test.each(['', '{}', '[1]', '{"schemaVersion":2}'])('%j is no report', (text) => {
  expect(parseReport(text)).toBeUndefined();
});
