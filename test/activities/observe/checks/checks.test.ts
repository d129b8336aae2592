import { describe, expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { report, UPGRADE_CHECKS } from '../../../../activities/observe/checks/catalogue.ts';
import { atTarget } from '../../../../activities/observe/checks/index.ts';
import { settle } from '../../../../activities/observe/checks/settle.ts';
import { type Finding, verdictOf } from '../../../../domain/core/findings.ts';
import { CATALOGUE } from '../../../../domain/readiness/catalogue.ts';
import { healthyFacts } from '../../../support/facts.ts';
import { QUICK } from '../../support/timing.ts';

const open = (findings: readonly Finding[]) => findings.filter((one) => one.status !== 'pass');
const say = (findings: readonly Finding[]) => open(findings).map((one) => `${one.code} ${one.severity} ${one.status}: ${one.message}`);
const to = '1.34';

test('at the end everything that Belay rolls must be at the target', () => {
  const left = say(
    atTarget(
      healthyFacts({
        kubelets: [
          { minor: '1.33', count: 2, owner: 'karpenter' },
          { minor: '1.33', count: 1, owner: 'fargate' },
        ],
      }),
      to,
    ),
  );
  expect(left).toContain('K8S104 required fail: These nodes are not at 1.34: 2 karpenter at 1.33.');
  expect(left).toContain('K8S106 recommended fail: These nodes are rolled by others and are not at 1.34: 1 fargate at 1.33.');
  expect(left.some((line) => line.startsWith('EKS101 required fail: The control plane is at 1.33, not at 1.34.'))).toBe(true);
});

describe('codes', () => {
  test('of what an upgrade has done clash with none of readiness, and those of both have one text', () => {
    const readiness = new Map(CATALOGUE.map(({ code, title, severity }) => [code, { title, severity }]));
    for (const [code, { title, severity }] of UPGRADE_CHECKS)
      expect([code, readiness.get(code)]).toEqual([code, /1\d\d$/.test(code) ? undefined : { title, severity }]);
  });
});

describe('what crosses the boundary', () => {
  const many = (count: number, severity: Finding['severity']): Finding[] =>
    Array.from({ length: count }, (_, i) => ({
      code: `X-${i}`,
      title: 't',
      severity,
      status: 'fail',
      message: 'm',
      resources: [],
      resourceCount: 0,
    }));

  test('is small: at most forty, required first, never without saying that some are left out', () => {
    const { findings, passedCount } = report([...many(60, 'recommended'), ...many(3, 'required')]);
    expect(findings).toHaveLength(40);
    expect(findings.slice(0, 3).every((one) => one.severity === 'required')).toBe(true);
    expect(findings.at(-1)?.message).toBe('24 more findings are left out here; fix the ones above and check again.');
    expect(passedCount).toBe(0);
  });

  test('cutting never turns a refusal into a go', () => {
    expect(verdictOf(report(many(100, 'required')).findings)).toBe('required-findings');
  });

  test('what is waived comes last, stays visible, and stops nothing, cut or not', () => {
    const waived = { reason: 'one writer by design', by: 'Ada', until: '2027-06-30' };
    const lived = many(45, 'required').map((one) => ({ ...one, waived }));
    const { findings } = report([...lived, ...many(1, 'recommended')]);
    expect(findings[0]?.severity).toBe('recommended');
    expect(findings[1]?.waived).toEqual(waived);
    expect(verdictOf(findings)).toBe('ready');
  });
});

describe('settling after a change', () => {
  const pass: Finding = { code: 'X', title: 't', severity: 'required', status: 'pass', message: 'm', resources: [], resourceCount: 0 };

  test('a failure that goes away is not reported', async () => {
    let looks = 0;
    const result = await settle(QUICK, 'verifying', async () => {
      looks += 1;
      return [{ ...pass, status: looks < 3 ? 'fail' : 'pass' }];
    });
    expect(result).toEqual({ findings: [], passedCount: 1 });
  });

  test('K1: a server that is away longer than things take to settle is waited for, as long as transient may last', async () => {
    const backAtMs = Date.now() + 250;
    const result = await settle(
      QUICK,
      'verifying',
      async () => {
        if (Date.now() < backAtMs) throw ApplicationFailure.retryable('reading: the connection was refused', 'Unavailable');
        return [pass];
      },
      60,
    );
    expect(result).toEqual({ findings: [], passedCount: 1 });
  });

  test('checks that could never be made are unknown, not an empty report', async () => {
    const down = () => Promise.reject(ApplicationFailure.retryable('reading: the connection was refused', 'Unavailable'));
    const { findings } = await settle({ ...QUICK, apiTransientMs: 500 }, 'verifying', down, 60);
    expect(verdictOf(findings)).toBe('unknowns-only');
    expect(findings[0]?.message).toContain('the connection was refused');
  });
});
