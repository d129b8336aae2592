/** Every rule bites: a request, a cluster or a plan that breaks it and nothing else. */
import { describe, expect, test } from 'vitest';
import { RULES } from '../../../../domain/plan/rules/rules.ts';
import { seed000Facts } from '../../../support/facts.ts';
import { refusalOf } from '../../../support/plans.ts';
import { CLUSTER_CASES } from '../rule-cases/cluster.ts';
import { COMPONENTS_CASES } from '../rule-cases/components.ts';
import { NODES_CASES } from '../rule-cases/nodes.ts';
import { SHAPE_CASES } from '../rule-cases/shape.ts';

const CASES = [...CLUSTER_CASES, ...COMPONENTS_CASES, ...NODES_CASES, ...SHAPE_CASES];

describe('rules', () => {
  test.each(CASES)('$rule: $title', ({ rule, found, expected }) => {
    expect(found()).toEqual(expected.map(([message, remedy]) => ({ rule, message, remedy })));
  });

  test('every rule has a case, a text and a remedy; names are unique', () => {
    const names = RULES.map((rule) => rule.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !CASES.some((c) => c.rule === name))).toEqual([]);
    expect(RULES.filter((rule) => rule.text === '' || rule.remedy === '')).toEqual([]);
  });

  test('all violations come at once', () => {
    const facts = seed000Facts({ updateInProgress: { id: 'u-9', type: 'ConfigUpdate' } });
    const controlPlane = { ...facts.controlPlane, status: 'UPDATING' };
    expect(refusalOf({ ...facts, controlPlane }, '1.33').map((v) => v.rule)).toEqual([
      'cluster-active-and-healthy',
      'no-update-in-progress',
      'no-al2-from-1.33',
    ]);
    expect(refusalOf({ ...facts, controlPlane }, '1.29').map((v) => v.rule)).toEqual([
      'target-known',
      'target-above-current',
      'cluster-active-and-healthy',
      'no-update-in-progress',
    ]);
  });
});
