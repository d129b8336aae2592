/** Which wave moves a gateway, and how. */
import { describe, expect, test } from 'vitest';
import { parseComponentVersion } from '../../../../domain/core/component-version.ts';
import type { GatewayFact, IstioFact, MeshNamespaceFact } from '../../../../domain/facts/facts.ts';
import { gatewaysAfter, meshWaves, type WaveSettings } from '../../../../domain/plan/istio/gateways.ts';
import { istioDropsGateways } from '../../../../domain/tables/istio.ts';
import { seed002Facts } from '../../../support/facts.ts';
import { planOf } from '../../../support/plans.ts';

const namespace = (name: string, change: Partial<MeshNamespaceFact> = {}): MeshNamespaceFact => ({
  name,
  mode: 'revision',
  selector: '1-28',
  revision: '1-28',
  ...change,
});
const gateway = (change: Partial<GatewayFact> = {}): GatewayFact => ({
  kind: 'Deployment',
  namespace: 'edge',
  name: 'public',
  by: 'own-label',
  selector: '1-28',
  revision: '1-28',
  replicas: 2,
  ...change,
});
const api = (change: Partial<GatewayFact> = {}): GatewayFact => gateway({ kind: 'Gateway', className: 'istio', ...change });

const NAMESPACES = [namespace('docs'), namespace('shop', { mode: 'tag', selector: 'prod' })];

function planned(gateways: GatewayFact[], change: Partial<WaveSettings> & { namespaces?: MeshNamespaceFact[]; version?: string } = {}) {
  const { namespaces = NAMESPACES, version = '1.27.3', ...settings } = change;
  const revision = { namespaces, version: parseComponentVersion(version) };
  const { waves, gateways: moves = [] } = meshWaves(revision, gateways, { shares: [1], gateways: 'last', tags: [], ...settings });
  return { waves, moves: moves.map(({ kind, wave, how, tag }) => [kind, wave, how, ...(tag === undefined ? [] : [tag])].join(' ')) };
}

describe('its wave', () => {
  test.each<[string, GatewayFact, Partial<WaveSettings>, string, number]>([
    ['a template that names the revision', gateway(), {}, 'Deployment 2 relabel', 3],
    ['a template that names a tag which is moved', gateway({ selector: 'prod' }), { tags: ['prod'] }, 'Deployment 2 restart prod', 3],
    ['a template that names a tag which stays', gateway({ selector: 'prod' }), {}, 'Deployment 2 relabel', 3],
    [
      'nothing said, the default tag is moved',
      gateway({ by: 'default', selector: 'default' }),
      { tags: ['default'] },
      'Deployment 2 restart default',
      3,
    ],
    ['an injected one in a namespace that moves', gateway({ namespace: 'shop', by: 'namespace' }), {}, 'Deployment 1 follows', 2],
    ['an image in its template', gateway({ by: 'image' }), {}, 'Deployment 2 owner', 3],
    ['a Gateway that names the revision', api(), {}, 'Gateway 2 relabel', 3],
    [
      'a Gateway that names a tag: with the first namespace of that tag',
      api({ selector: 'prod' }),
      { tags: ['prod'] },
      'Gateway 1 follows prod',
      2,
    ],
    [
      'a Gateway whose tag no namespace selects: with the last wave',
      api({ selector: 'edge' }),
      { tags: ['edge'] },
      'Gateway 1 follows edge',
      2,
    ],
    ['a Gateway in a namespace that is labelled', api({ namespace: 'docs', by: 'namespace' }), {}, 'Gateway 0 follows', 2],
    ['a Gateway of its own in a namespace that moves', api({ namespace: 'docs' }), {}, 'Gateway 2 relabel', 3],
  ])('%s', (_, one, settings, way, waveCount) => {
    const { waves, moves } = planned([one], settings);
    expect(moves).toEqual([way]);
    expect(waves).toHaveLength(waveCount);
  });

  test('first: before the namespaces', () => {
    expect(planned([gateway(), api({ namespace: 'docs', by: 'namespace' })], { gateways: 'first' })).toEqual({
      waves: [[], ['docs'], ['shop']],
      moves: ['Deployment 0 relabel', 'Gateway 1 follows'],
    });
  });

  test('a Gateway follows a tag as soon as a gateway of the first wave has it moved', () => {
    const all = [gateway({ selector: 'prod' }), api({ selector: 'prod' })];
    expect(planned(all, { gateways: 'first', tags: ['prod'] }).moves).toEqual(['Deployment 0 restart prod', 'Gateway 0 follows prod']);
  });

  test('a namespace that holds gateways alone moves with them', () => {
    const namespaces = [...NAMESPACES, namespace('edge', { gatewaysOnly: true })];
    expect(planned([gateway({ by: 'namespace' })], { namespaces })).toEqual({
      waves: [['docs'], ['shop'], ['edge']],
      moves: ['Deployment 2 follows'],
    });
  });

  test('a Gateway in a namespace with istio-injection goes by the label that the namespace gets', () => {
    const namespaces = [namespace('docs', { mode: 'injection-label', selector: 'default' })];
    expect(planned([api({ namespace: 'docs', by: 'default', selector: 'default' })], { namespaces }).moves).toEqual(['Gateway 0 follows']);
  });

  test('no gateways: waves as ever', () => {
    expect(planned([])).toEqual({ waves: [['docs'], ['shop']], moves: [] });
  });
});

test.each([
  ['1.24.2', false],
  ['1.24.3', true],
  ['1.28.9', true],
  ['1.29.4', true],
  ['1.29.5', false],
  ['1.30.1', true],
  ['1.30.2', false],
  ['1.31.0', false],
])('istiod %s empties a Gateway that changes hands: %s', (version, drops) => {
  expect(istioDropsGateways(parseComponentVersion(version))).toBe(drops);
});

test('after a canary: what followed a tag still does, the rest names the new revision', () => {
  const before = [gateway({ selector: 'prod' }), gateway({ by: 'default', selector: 'default' }), gateway({ revision: '1-29' })];
  expect(gatewaysAfter(before, { fromRevision: '1-28', toRevision: '1-30', tags: ['prod'] })).toEqual([
    { ...before[0], revision: '1-30' },
    { ...before[1], revision: '1-30', selector: '1-30', by: 'own-label' },
    before[2],
  ]);
});

describe('the plan', () => {
  const plan = (
    gateways: GatewayFact[],
    namespaces = [namespace('docs', { selector: '1-26', revision: '1-26' })],
    also: Partial<IstioFact> = {},
  ) => {
    const base = seed002Facts();
    const istio = {
      ...base.istio,
      revisions: base.istio?.revisions ?? [],
      tags: [],
      hasCniOrZtunnel: false,
      namespaces,
      gateways,
      ...also,
    };
    return JSON.stringify(planOf({ ...base, istio }, '1.34'));
  };
  const on126 = { selector: '1-26', revision: '1-26' };

  test('says what moves, whom it asks and what has one pod', () => {
    const text = plan([gateway({ name: 'internal', keptBy: 'Argo CD', ...on126 }), gateway({ name: 'lone', replicas: 1, ...on126 })]);
    expect(text).toContain('2 gateways move in place, in a wave of their own');
    expect(text).toMatch(/PLN028.*Belay does not edit Deployment edge\/internal \(Argo CD\)/);
    expect(text).toMatch(/PLN029.*Deployment edge\/lone: one pod carries all/);
    expect(text).not.toContain('PLN027');
  });

  test('says what no wave moves, and leaves out of its waves what istiod gives no proxy', () => {
    const text = plan([], undefined, {
      uninjected: [
        { kind: 'Deployment', namespace: 'docs', name: 'batch' },
        { kind: 'DaemonSet', namespace: 'elsewhere', name: 'probe' },
      ],
      ownChoice: [{ kind: 'Deployment', namespace: 'tools', name: 'cache', label: 'istio.io/rev=1-26', revision: '1-26' }],
    });
    expect(text).toContain('"uninjected":[{"kind":"Deployment","namespace":"docs","name":"batch"}]');
    expect(text).toMatch(/PLN033.*"Deployment docs\/batch: no pod has a proxy, although the namespace asks for one\. /);
    expect(text).toMatch(/PLN034.*"No wave moves Deployment tools\/cache \(istio\.io\/rev=1-26\), and the old revision cannot be retired/);
    expect(plan([])).not.toMatch(/PLN033|PLN034|"uninjected"/);
  });

  test('says which Gateways are cut off while they change hands', () => {
    expect(plan([api({ name: 'partners', ...on126 })])).toMatch(/PLN027.*connections through Gateway edge\/partners \(istiod 1\.26\.2\)/);
  });

  test('a revision that only gateways use is moved as well', () => {
    expect(plan([gateway(on126)], [])).toContain('"waves":[[]],"gateways":[{"kind":"Deployment"');
  });
});
