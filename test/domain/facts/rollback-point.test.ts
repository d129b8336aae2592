/** What is kept for going back: everything that is needed, nothing secret, and never too much. */
import { describe, expect, test } from 'vitest';
import { boundedPoint, pointOf, withoutSecrets } from '../../../domain/facts/rollback-point.ts';
import { healthyFacts, meshNamespace } from '../../support/facts.ts';
import { unread } from '../../support/unread.ts';

describe('secrets', () => {
  test('values below keys that may hold one are left out, and named; the rest stays', () => {
    const { values, hidden } = withoutSecrets({
      replicaCount: 3,
      corefile: 'health {}',
      admin: { password: 'hunter2', user: 'sam' },
      env: [
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'API_TOKEN', value: 'abc' },
      ],
      cloud: { secretAccessKey: { inner: 'deep' }, apiKey: 'k' },
    });
    expect(values).toEqual({
      replicaCount: 3,
      corefile: 'health {}',
      admin: { password: '[left out]', user: 'sam' },
      env: [
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'API_TOKEN', value: '[left out]' },
      ],
      cloud: { secretAccessKey: '[left out]', apiKey: '[left out]' },
    });
    expect(hidden).toEqual(['admin.password', 'env[1].value', 'cloud.secretAccessKey', 'cloud.apiKey']);
  });

  test('what is no object has none', () => {
    expect(withoutSecrets(null)).toEqual({ values: null, hidden: [] });
    expect(withoutSecrets('text')).toEqual({ values: 'text', hidden: [] });
  });
});

describe('the point', () => {
  test('says versions, budgets, labels and charts as they are, and what could not be read', () => {
    const point = pointOf(healthyFacts({ unknowns: [unread('the nodes', 'not permitted')] }), 'run-1');
    expect(point).toMatchObject({
      runId: 'run-1',
      controlPlane: '1.33',
      addOns: expect.arrayContaining([{ name: 'coredns', version: 'v1.12.2-eksbuild.4', managed: true }]),
      nodeGroups: [{ name: 'system', version: '1.33', releaseVersion: '1.33.4-20260801' }],
      karpenter: { version: '1.8.2' },
      nodePools: [{ name: 'default', nodeClass: 'default', budgets: [{ nodes: '10%' }] }],
      istioRevisions: [{ revision: '1-30', version: '1.30.1' }],
      meshNamespaces: [{ name: 'checkout', mode: 'revision', selector: '1-30' }, { name: 'search' }],
      leftOut: ['the nodes: not read, not permitted'],
    });
    expect(boundedPoint(point)).toEqual(point);
  });

  test('too long: the longest lists lose their ends, and that is said', () => {
    const facts = healthyFacts();
    const namespaces = Array.from({ length: 4000 }, (_, index) => meshNamespace(`team-${index}`));
    const point = pointOf({ ...facts, istio: { revisions: [], tags: [], hasCniOrZtunnel: false, namespaces } }, 'run-1');
    const bounded = boundedPoint(point, 20_000);
    expect(JSON.stringify(bounded).length).toBeLessThanOrEqual(20_000);
    expect(bounded.addOns).toEqual(point.addOns);
    expect(bounded.leftOut).toEqual([`meshNamespaces: ${bounded.meshNamespaces.length} of 4000 kept, for the size`]);
  });

  test('longer than the limit even without its lists: what is left is kept', () => {
    const point = pointOf(healthyFacts(), 'run-1');
    const bounded = boundedPoint(point, 100);
    expect([bounded.runId, bounded.controlPlane, bounded.addOns, bounded.nodeGroups]).toEqual(['run-1', '1.33', [], []]);
    expect(bounded.leftOut).toContain(`addOns: 0 of ${point.addOns.length} kept, for the size`);
  });
});
