/** Waivers: who lives with what, until when. */
import { describe, expect, test } from 'vitest';
import type { CheckFinding } from '../../../../domain/readiness/model/check.ts';
import { applyWaivers, type Waiver } from '../../../../domain/readiness/model/waivers.ts';

const NOW = '2026-03-01T10:00:00Z';
const finding = (over: Partial<CheckFinding> = {}): CheckFinding => ({
  code: 'K8S012',
  area: 'Kubernetes',
  title: 'Workloads have more than one replica',
  severity: 'recommended',
  status: 'fail',
  message: '2 workloads with one replica.',
  resources: [
    { kind: 'Deployment', namespace: 'shop', name: 'cart' },
    { kind: 'Deployment', namespace: 'pay', name: 'ledger' },
  ],
  ...over,
});
const waiver = (over: Partial<Waiver> = {}): Waiver => ({
  check: 'K8S012',
  reason: 'batch only',
  by: 'alex',
  until: '2026-03-31',
  ...over,
});

/** Each part: its resources, and the reason where it is waived. */
const parts = (waivers: Waiver[], findings = [finding()]): string[] =>
  applyWaivers(findings, waivers, NOW).findings.map(
    ({ resources, waived }) => `${resources.map(({ name }) => name).join('+')}${waived === undefined ? '' : ` waived: ${waived.reason}`}`,
  );

describe('what is waived', () => {
  test.each<{ title: string; waivers: Waiver[]; expected: string[] }>([
    { title: 'nothing without a waiver', waivers: [], expected: ['cart+ledger'] },
    { title: 'the whole check', waivers: [waiver()], expected: ['cart+ledger waived: batch only'] },
    {
      title: 'one resource: the other stays open',
      waivers: [waiver({ resource: 'shop/cart' })],
      expected: ['ledger', 'cart waived: batch only'],
    },
    { title: 'a namespace', waivers: [waiver({ resource: 'pay/*' })], expected: ['cart', 'ledger waived: batch only'] },
    {
      title: 'each by its own waiver',
      waivers: [waiver({ resource: 'shop/*' }), waiver({ resource: '*/ledger', reason: 'paid for' })],
      expected: ['cart waived: batch only', 'ledger waived: paid for'],
    },
    { title: 'not what only begins like it', waivers: [waiver({ resource: 'shop/car' })], expected: ['cart+ledger'] },
    { title: 'a dot is a dot', waivers: [waiver({ resource: 'shop.cart' })], expected: ['cart+ledger'] },
    { title: 'another check', waivers: [waiver({ check: 'K8S013' })], expected: ['cart+ledger'] },
    { title: 'on its last day', waivers: [waiver({ until: '2026-03-01' })], expected: ['cart+ledger waived: batch only'] },
    { title: 'no longer the day after', waivers: [waiver({ until: '2026-02-28' })], expected: ['cart+ledger'] },
  ])('$title', ({ waivers, expected }) => {
    expect(parts(waivers)).toEqual(expected);
  });

  test('an unknown can be waived, a pass cannot', () => {
    const unknown = finding({ status: 'unknown', resources: [] });
    expect(parts([waiver()], [unknown, finding({ status: 'pass', resources: [] })])).toEqual([' waived: batch only', '']);
  });
});

test('an expired waiver is named where its check still finds something', () => {
  const late = waiver({ until: '2026-02-28' });
  expect(applyWaivers([finding()], [late], NOW).expired).toEqual([late]);
  expect(applyWaivers([finding({ status: 'pass' })], [late], NOW).expired).toEqual([]);
});
