/** The way back of Istio: which canaries come out of the record and the rollback point, and every reason why there are none. */
import { describe, expect, test } from 'vitest';
import type { ClusterFacts } from '../../../../domain/facts/facts.ts';
import { undoOptions } from '../../../../domain/plan/undo/plan-undo.ts';
import { healthyFacts, policy } from '../../../support/facts.ts';
import {
  OLD,
  NEW,
  runs,
  FORTH,
  FIRST,
  run,
  before,
  at,
  facts,
  planned,
  canaries,
  refused,
  tagged,
  gateway,
  KEPT,
  OLDER,
  type Seen,
} from '../../../support/istio-undo.ts';
import { unread } from '../../../support/unread.ts';

describe('the canary the other way round', () => {
  test('while the older revision runs: waves, then the end of the newer one, behind a gate that wants a reason', () => {
    const plan = planned(facts());
    expect(plan).toMatchObject({ kind: 'undo', undoes: { step: 'istio', runId: 'run-1' }, from: '1.33', to: '1.33' });
    expect(plan.steps.map(({ id }) => id)).toEqual(['istio@1.33', 'validation@1.33']);
    expect(plan.steps[0]).toMatchObject({
      title: 'Istio 1-30 → 1-28',
      gate: {
        title: 'Take Istio of prod back to 1-28?',
        next: '2 namespaces go back in 2 waves, each with a gate. Then the default tag and validator, and when nothing uses 1-30 any more a gate asks for its end.',
        reason: true,
      },
      params: { moveBy: 'label', managedBy: 'helm' },
    });
    expect(canaries(facts())).toEqual([
      {
        fromRevision: '1-30',
        fromVersion: '1.30.1',
        toRevision: '1-28',
        toMinor: '1.28',
        toVersion: '1.28.3',
        waves: [['mail'], ['shop']],
        retire: { bakeMs: 0 },
        back: {},
      },
    ]);
    expect(undoOptions(facts(), { run: run(FORTH), mesh: before() }, policy())).toMatchObject([
      { step: 'istio', possible: true, cost: 'one more restart of the workloads in 2 namespaces', why: [] },
    ]);
  });

  test('stopped halfway: only what has moved goes back', () => {
    const now = facts({ namespaces: [at('mail', '1-30'), at('shop', '1-28')] });
    expect(canaries(now)).toMatchObject([{ waves: [['mail']] }]);
  });

  test('nothing has moved yet: the newer revision goes', () => {
    const now = facts({ namespaces: [at('mail', '1-28'), at('shop', '1-28')] });
    expect(canaries(now)).toMatchObject([{ fromRevision: '1-30', waves: [], retire: { bakeMs: 0 } }]);
    expect(planned(now).steps[0]?.gate?.next).toMatch(/^No namespace has moved yet\. Then the default tag/);
  });

  test('tags go back with their namespaces, the default tag as well', () => {
    const now = facts({
      tags: tagged('1-30'),
      namespaces: [at('mail', '1-30'), at('shop', '1-30', { mode: 'tag', selector: 'prod' })],
    });
    const mesh = before({
      istioTags: tagged('1-28'),
      meshNamespaces: [
        { name: 'mail', mode: 'injection-label', selector: 'default' },
        { name: 'shop', mode: 'tag', selector: 'prod' },
      ],
    });
    const of = run({ ...FORTH, tags: ['prod'] });
    expect(planned(now, { mesh, of }).steps[0]?.params).toMatchObject({ moveBy: 'tag' });
    expect(canaries(now, { mesh, of })).toMatchObject([
      {
        tags: ['default', 'prod'],
        waves: [['mail'], ['shop']],
        back: { labels: [{ namespace: 'mail', injection: 'enabled', rev: null }] },
      },
    ]);
  });

  test('moved by label: what selected a tag selects it again at the end', () => {
    const tags = [{ tag: 'prod', revision: '1-28' }];
    const mesh = before({
      istioTags: tags,
      meshNamespaces: ['mail', 'shop'].map((name) => ({ name, mode: 'tag', selector: 'prod' })),
    });
    expect(canaries(facts({ tags }), { mesh })).toMatchObject([
      { back: { labels: ['mail', 'shop'].map((namespace) => ({ namespace, injection: null, rev: 'prod' })) } },
    ]);
  });

  test('a tag goes back over each canary that has moved it, to where it was', () => {
    const prod = (revision: string) => [{ tag: 'prod', revision }];
    const now = facts({ tags: prod('1-30'), namespaces: [at('shop', '1-30', { mode: 'tag', selector: 'prod' })] });
    const mesh = before({
      istioRevisions: [{ revision: '1-27', version: '1.27.3' }],
      istioTags: prod('1-27'),
      meshNamespaces: [{ name: 'shop', mode: 'tag', selector: 'prod' }],
    });
    const of = run({ ...FIRST, tags: ['prod'] }, { ...FORTH, tags: ['prod'] });
    expect(canaries(now, { of, mesh, kept: [OLDER] })).toMatchObject([
      { fromRevision: '1-30', toRevision: '1-28', tags: ['prod'], waves: [['shop']] },
      { fromRevision: '1-28', toRevision: '1-27', tags: ['prod'], waves: [['shop']] },
    ]);
  });

  test('a tag that no namespace selects has a wave as well, with the gateways that follow it', () => {
    const edge = { kind: 'Gateway' as const, namespace: 'edge', name: 'ingress' };
    const [tags, istioTags] = ['1-30', '1-28'].map((revision) => [{ tag: 'edge', revision }]);
    const mesh = before({ istioTags, meshNamespaces: [] });
    const now = { tags, namespaces: [] };
    expect(canaries(facts(now), { mesh })).toMatchObject([{ tags: ['edge'], waves: [[]] }]);
    expect(canaries(facts(now), { mesh })[0]?.gateways).toBeUndefined();
    expect(canaries(facts({ ...now, gateways: [gateway({ ...edge, selector: 'edge' })] }), { mesh })).toMatchObject([
      { tags: ['edge'], waves: [[]], gateways: [{ ...edge, how: 'follows', tag: 'edge', wave: 0 }] },
    ]);
  });

  test('gateways: in place, and with the label that they had', () => {
    const of = run({ ...FORTH, gateways: [{ kind: 'Deployment', namespace: 'edge', name: 'ingress', wave: 0, how: 'relabel' }] });
    const tags = [{ tag: 'edge', revision: '1-28' }];
    const own = { kind: 'Deployment' as const, namespace: 'edge', name: 'ingress' };
    const mesh = before({ istioTags: tags, istioGateways: [{ ...own, by: 'own-label', selector: 'edge' }] });
    expect(canaries(facts({ gateways: [gateway()], tags }), { of, mesh })).toMatchObject([
      { gateways: [{ ...own, how: 'relabel', wave: 2 }], waves: [['mail'], ['shop'], []], back: { gateways: [{ ...own, rev: 'edge' }] } },
    ]);
  });

  test('two canaries: the way that the mesh came, each retired revision installed again', () => {
    const now = facts({ revisions: [runs(NEW)] });
    const mesh = before({ istioRevisions: [{ revision: '1-27', version: '1.27.3' }] });
    expect(canaries(now, { of: run(FIRST, FORTH), mesh, kept: [KEPT, OLDER] })).toMatchObject([
      { fromRevision: '1-30', toRevision: '1-28', waves: [['mail'], ['shop']], back: { release: { name: 'istiod-1-28' } } },
      {
        fromRevision: '1-28',
        fromVersion: '1.28.3',
        toRevision: '1-27',
        waves: [['mail'], ['shop']],
        back: { release: { name: 'istiod-1-27' } },
      },
    ]);
  });

  test('two canaries, and istio-cni has moved on: each minor by hand', () => {
    const cni = { kind: 'istio-cni' as const, namespace: 'istio-system', daemonSet: 'istio-cni-node', version: '1.29.3' };
    expect(
      refused(facts({ hasCniOrZtunnel: true, nodeAgents: [cni] }), {
        of: run(FIRST, FORTH),
        mesh: before({ istioRevisions: [] }),
        kept: [OLDER],
      }),
    ).toEqual([
      'RBK124 istio-cni 1.29.3 may not be that far ahead of istiod 1.27.3 (revision 1-27). Go back by hand, one minor after the other, to 1.27: each time istio-cni and ztunnel first, then the namespaces.',
    ]);
  });

  test('istio-cni may be one minor ahead, ztunnel may not', () => {
    const agent = (kind: 'istio-cni' | 'ztunnel') => ({ kind, namespace: 'istio-system', daemonSet: kind, version: '1.29.3' });
    expect(canaries(facts({ hasCniOrZtunnel: true, nodeAgents: [agent('istio-cni')] }))).toMatchObject([{ toRevision: '1-28' }]);
    expect(refused(facts({ hasCniOrZtunnel: true, nodeAgents: [agent('ztunnel')] }), {})).toMatchObject([
      expect.stringContaining('RBK124 ztunnel 1.29.3 may not be that far ahead of istiod 1.28.3'),
    ]);
  });

  test('node agents of the older minor, or below it, work with its istiod', () => {
    const agent = (version: string) => ({ kind: 'ztunnel' as const, namespace: 'istio-system', daemonSet: 'ztunnel', version });
    expect(canaries(facts({ hasCniOrZtunnel: true, nodeAgents: [agent('1.28.6'), agent('1.27.3')] }))).toMatchObject([
      { fromRevision: '1-30', toRevision: '1-28', waves: [['mail'], ['shop']] },
    ]);
  });

  test('a newer revision that was there before stays, and so do the defaults', () => {
    const mesh = before({ istioRevisions: [OLD, NEW] });
    expect(canaries(facts(), { mesh })).toMatchObject([{ back: { keeps: true } }]);
    expect(planned(facts(), { mesh }).steps[0]?.gate?.next).toContain('1-30 was there before and stays.');
  });

  test('what the run did not move stays and is named, labels that nobody knows as well', () => {
    const now = facts({ namespaces: [at('mail', '1-30'), at('shop', '1-30'), at('new', '1-30')] });
    const mesh = before({ meshNamespaces: [{ name: 'mail', mode: 'revision', selector: '1-28' }] });
    expect(planned(now, { mesh }).findings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'RBK125 Namespace shop: istio.io/rev=1-28, since what their labels were is not in the rollback point.',
      'RBK126 Namespace new: not moved by that run, stays at 1-30.',
    ]);
  });
});

describe('the older revision is gone', () => {
  const gone = facts({ revisions: [runs(NEW)] });

  test('Helm has its record: installed again from it', () => {
    expect(canaries(gone, { kept: [KEPT] })).toMatchObject([
      { toRevision: '1-28', toVersion: '1.28.3', back: { release: { namespace: 'istio-system', name: 'istiod-1-28' } } },
    ]);
    expect(planned(gone, { kept: [KEPT] }).steps[0]?.gate?.next).toMatch(
      /^Helm installs 1-28 \(1\.28\.3\) again, with the chart version and values of its last release\. /,
    );
  });

  test.each<{ what: string; seen: Seen; says: string }>([
    {
      what: 'Helm has forgotten it',
      seen: {},
      says: 'RBK122 Revision 1-28 (1.28.3) is gone, and Helm has no retired release of it that can be read. Install istiod 1.28.3 with revision=1-28 and the values that it had, then ask again.',
    },
    {
      what: 'Helm has another version of it',
      seen: { kept: [{ ...KEPT, version: '1.27.1', appVersion: '1.27.1' }] },
      says: "RBK122 Revision 1-28 (1.28.3) is gone, and Helm's newest record of release istiod-1-28 has 1.27.1. Install istiod 1.28.3 with revision=1-28 and the values that it had, then ask again.",
    },
    {
      what: 'people install it',
      seen: { own: { managedBy: { ...policy().managedBy, istio: 'manual' } } },
      says: 'RBK122 Revision 1-28 (1.28.3) is gone, and Belay does not install it where managedBy.istio is manual. Put it back as it was installed: chart istiod, version 1.28.3, values revision: 1-28, the rest as it was. Ask again when its istiod is ready.',
    },
  ])('refused: $what', ({ seen, says }) => {
    expect(refused(gone, seen)).toEqual([says]);
  });

  test('Flux delivers Istio: the lines to put back in Git', () => {
    const chart = { kind: 'HelmRelease' as const, namespace: 'istio-system', name: 'istiod', chart: 'istiod', version: '1.28.3' };
    const now = facts({ revisions: [runs(NEW)], deliveredCharts: [{ ...chart, name: 'istiod-1-30', version: '1.30.1' }] });
    const own = { managedBy: { ...policy().managedBy, istio: 'flux' as const } };
    expect(refused(now, { own, mesh: before({ deliveredCharts: [chart] }) })).toEqual([
      'RBK122 Revision 1-28 (1.28.3) is gone, and Belay does not install it where managedBy.istio is flux. Put it back in Git: chart istiod, version 1.28.3, values revision: 1-28, the rest as it was. It was HelmRelease istio-system/istiod, chart istiod 1.28.3. Ask again when its istiod is ready.',
    ]);
  });
});

describe('refused', () => {
  test.each<{ what: string; now?: ClusterFacts; seen?: Seen; says: string }>([
    {
      what: 'not changed',
      seen: { of: run() },
      says: 'RBK102 The run of 2026-09-01 08:00 UTC did not change Istio. Name a step that it did: belay rollback CLUSTER --list shows them.',
    },
    {
      what: 'no Istio',
      now: healthyFacts({ istio: undefined }),
      says: 'RBK104 Istio is not there any more, or could not be read. Look at its istiods, then ask again.',
    },
    {
      what: 'unknown is no pass: no rollback point',
      seen: { mesh: 'unknown' },
      says: 'RBK120 What the mesh was like before the run of 2026-09-01 08:00 UTC is not known: its rollback point is not there, or cannot be read. Look for rollback-point_….json in records.directory of belay.yaml; without it, move tags and labels by hand, then restart the workloads.',
    },
    {
      what: 'unknown is no pass: tags',
      now: { ...facts(), unknowns: [unread('the Istio revision tags', 'not permitted: list on mutatingwebhookconfigurations')] },
      says: 'RBK104 Reading the Istio revision tags: not permitted: list on mutatingwebhookconfigurations. Without it nobody knows what would go back; ask again when it can be read.',
    },
    {
      what: 'unknown is no pass: gateways',
      now: facts({ gateways: undefined }),
      seen: { of: run({ ...FORTH, gateways: [{ kind: 'Deployment', namespace: 'edge', name: 'ingress', wave: 0, how: 'relabel' }] }) },
      says: 'RBK104 The gateways of Istio could not be read. Allow Belay to list them, then ask again.',
    },
    {
      what: 'there already',
      now: facts({ revisions: [runs(OLD)], namespaces: [at('mail', '1-28'), at('shop', '1-28')] }),
      says: 'RBK103 Of what the run of 2026-09-01 08:00 UTC moved in the mesh nothing is at its newer revision. There is nothing to do.',
    },
    {
      what: 'the older istiod is not ready',
      now: facts({ revisions: [runs(OLD, false), runs(NEW)] }),
      says: 'RBK121 istiod of revision 1-28 is not ready. Find out why; what is moved to it now could not start.',
    },
    {
      what: 'the minor of today is too new for it',
      now: { ...facts(), controlPlane: { ...facts().controlPlane, version: '1.35' } },
      says: 'RBK123 Istio 1.28.3 does not support 1.35. Stay, or take the control plane back first while EKS allows that: belay rollback CLUSTER.',
    },
    {
      what: 'istio-cni has moved on',
      now: facts({
        hasCniOrZtunnel: true,
        nodeAgents: [{ kind: 'istio-cni', namespace: 'istio-system', daemonSet: 'istio-cni-node', version: '1.30.1' }],
      }),
      says: 'RBK124 istio-cni 1.30.1 may not be that far ahead of istiod 1.28.3 (revision 1-28). Move istio-cni 1.30.1 to 1.28 first, in the way it was installed; the present istiod works with that. Then request this again.',
    },
    {
      what: 'node agents that cannot be read',
      now: facts({ hasCniOrZtunnel: true }),
      says: 'RBK124 The versions of istio-cni and ztunnel could not be read. Allow Belay to list DaemonSets, then ask again.',
    },
  ])('$what', ({ now = facts(), seen = {}, says }) => {
    expect(refused(now, seen)).toEqual([says]);
  });
});
