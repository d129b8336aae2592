/** What is among the lines to change in code: only what Belay has changed itself, as it was last. */
import { expect, test } from 'vitest';
import type { DeliveredChart } from '../../../../domain/facts/facts.ts';
import type { AskedChange } from '../../../../domain/run/record/change-requests.ts';
import { iacHeading, iacNotes } from '../../../../domain/run/code-changes/notes.ts';
import type { IstioCanary } from '../../../../domain/plan/model/changes.ts';
import type { StepParams } from '../../../../domain/plan/model/step-params.ts';
import type { UpgradePlan } from '../../../../domain/plan/model/types.ts';
import { plan, step } from '../../../support/plan.ts';

function notes(all: StepParams[], options: { asked?: AskedChange[]; state?: 'completed' | 'skipped' } = {}) {
  const steps = all.map((params, index) => ({ ...step(params.phase, { params }), id: `${params.phase}@1.${32 + index}` as const }));
  const made: UpgradePlan = { ...plan([]), steps };
  const views = steps.map(({ id }) => ({ id, state: options.state ?? ('completed' as const) }));
  return iacNotes(made, views, options.asked).map((note) => [iacHeading(note), note.lines] as const);
}

const canary: IstioCanary = {
  fromRevision: '1-26',
  fromVersion: '1.26.2',
  toRevision: '1-28',
  toMinor: '1.28',
  retire: { bakeMs: 0 },
  toVersion: '1.28.3',
  waves: [['shop', 'pay']],
};
const chart = { kind: 'HelmRelease', namespace: 'istio-system' } as const;
const charts = [
  { ...chart, name: 'base', chart: 'base', version: '1.26.2' },
  { ...chart, name: 'istiod-1-26', chart: 'istiod', version: '1.26.2' },
  { ...chart, name: 'kept', chart: 'cni', version: '1.26.2', owner: 'Kustomization flux-system/mesh' },
];
const istio = (change: Partial<Extract<StepParams, { phase: 'istio' }>> = {}, of: Partial<IstioCanary> = {}): StepParams => ({
  phase: 'istio',
  canaries: [{ ...canary, ...of }],
  managedBy: 'flux',
  moveBy: 'label',
  judgedBy: 'state' as const,
  ...change,
});

test('Istio: base, the copy of istiod, and labels; what somebody keeps, or was asked for, is not among them', () => {
  const found = notes([istio({ delivery: { kind: 'HelmRelease', charts } })]);
  expect(found.map(([heading]) => heading)).toEqual([
    'HelmRelease istio-system/base, where it says base 1.26.2',
    'HelmRelease istio-system/istiod-1-26, where it says istiod of revision 1-26, which is gone: its file becomes that of revision 1-28, named like the object in the cluster',
    'Namespace shop, pay, where it says revision 1-26, by istio.io/rev or istio-injection',
  ]);
  expect(found[1]?.[1]).toBe('spec:\n  chart:\n    spec:\n      chart: istiod\n      version: "1.28.3"\n  values:\n    revision: 1-28');
  const asked: AskedChange[] = [
    { step: 'istio@1.32', at: '', component: 'namespace', name: 'shop, pay', version: '1-28', managedBy: 'flux', text: '' },
  ];
  expect(notes([istio()], { asked })).toEqual([]);
  expect(notes([istio()], { state: 'skipped' })).toEqual([]);
});

test('Istio: a patch that only the run knew is not made up; tags move instead of labels', () => {
  const found = notes([
    istio(
      { delivery: { kind: 'HelmRelease', charts: charts.slice(0, 1) }, moveBy: 'tag', judgedBy: 'state' as const },
      { toVersion: undefined, tags: ['stable'] },
    ),
  ]);
  expect(found).toEqual([
    [
      expect.stringContaining('istio-system/base'),
      expect.stringContaining('version: "1.28.x" # write the patch that the object in the cluster says'),
    ],
    ["Istio's revision tag stable, where it says revision 1-26", expect.stringContaining('revisionTags:\n  - stable')],
  ]);
});

test('gateways that were relabelled, in the template of a workload', () => {
  const gateways = [{ kind: 'Deployment', namespace: 'edge', name: 'in', wave: 0, how: 'relabel' }] as const;
  const [note] = notes([istio({}, { waves: [[]], gateways: [...gateways] })]);
  expect(note).toEqual([
    'Deployment edge/in, where it says istio.io/rev: 1-26, or a tag of it',
    'spec:\n  template:\n    metadata:\n      labels:\n        istio.io/rev: 1-28',
  ]);
});

test('a gateway that others were asked for is not among them', () => {
  const gateways = [{ kind: 'Deployment', namespace: 'edge', name: 'in', wave: 0, how: 'relabel' }] as const;
  const asked: AskedChange[] = [
    { step: 'istio@1.32', at: '', component: 'istio-gateway', name: 'edge/in', version: '1-28', managedBy: 'flux', text: '' },
  ];
  expect(notes([istio({}, { waves: [[]], gateways: [...gateways] })], { asked })).toEqual([]);
});

test('charts of node agents that nobody keeps: those that the run moved, as it moved them last', () => {
  const agent = { kind: 'istio-cni', namespace: 'istio-system', daemonSet: 'istio-cni-node', from: '1.26' } as const;
  const own = ['cni', 'ztunnel'].map((name) => ({ ...chart, name, chart: name, version: '1.26.2' }));
  const agents = { agentsBefore: [{ ...agent, toMinor: '1.27' }], agentsAfter: [{ ...agent, from: '1.27', toMinor: '1.28' }], waves: [] };
  expect(notes([istio({ delivery: { kind: 'HelmRelease', charts: own } }, agents)])).toEqual([
    ['HelmRelease istio-system/cni, where it says cni 1.26.2', expect.stringContaining('version: "1.28.x"')],
  ]);
});

test('node classes and pools that nobody keeps', () => {
  const move = {
    nodeClass: 'default',
    nodePools: ['default'],
    before: 'al2023@v20250403',
    terms: [{ alias: 'al2023@v20260103' }],
    why: '',
  };
  const roll: StepParams = {
    phase: 'karpenter-drift',
    to: '1.32',
    nodePools: ['default'],
    nodeCount: 3,
    paces: [],
    offeredPaces: ['freeze', '1', '10%', '20%', 'original'],
    moves: [move, { ...move, nodeClass: 'kept', owner: 'flux' }],
  };
  const familiesRoll: StepParams = {
    ...roll,
    moves: [
      { ...move, nodeClass: 'held', terms: [{ id: 'ami-1' }], amiFamily: 'AL2023' },
      { ...move, nodeClass: 'freed', amiFamily: null },
    ],
  };
  const freeze: StepParams = { phase: 'freeze-drift', nodePools: ['default'], switches: [{ nodePool: 'default', from: 'old', to: 'new' }] };
  expect(notes([freeze, roll])).toEqual([
    ['NodePool default, where it says nodeClassRef old', 'spec:\n  template:\n    spec:\n      nodeClassRef:\n        name: new'],
    ['EC2NodeClass default, where it says al2023@v20250403', 'spec:\n  amiSelectorTerms:\n    - alias: al2023@v20260103'],
  ]);
  expect(notes([familiesRoll]).map(([, lines]) => lines)).toEqual([
    'spec:\n  amiFamily: AL2023\n  amiSelectorTerms:\n    - id: ami-1',
    'spec:\n  # no amiFamily\n  amiSelectorTerms:\n    - alias: al2023@v20260103',
  ]);
});

test('what EKS was asked for: as it was at first, as it is at last, and only where Terraform was not asked', () => {
  const hop = (from: string, to: string, managedBy: 'eks' | 'terraform' = 'eks'): StepParams[] => [
    { phase: 'control-plane', from, to, managedBy },
    { phase: 'node-groups', to, groups: [{ name: 'blue', from, count: 2 }], managedBy },
    { phase: 'add-ons-target', to, changes: [{ name: 'coredns', from: `v${from}`, to: `v${to}`, managed: true }], managedBy },
  ];
  expect(notes([...hop('1.31', '1.32'), ...hop('1.32', '1.33')])).toEqual([
    [
      'The control plane (where Terraform or another tool declares it), where it says version 1.31',
      expect.stringContaining('version = "1.33"'),
    ],
    [
      'Node group blue (where Terraform or another tool declares it), where it says version 1.31',
      expect.stringContaining('version = "1.33"'),
    ],
    [
      'Add-on coredns (where Terraform or another tool declares it), where it says addon_version v1.31',
      expect.stringContaining('addon_version = "v1.33"'),
    ],
  ]);
  expect(notes(hop('1.31', '1.32', 'terraform'))).toEqual([]);
});

test('Istio taken back: no chart; labels as they were before the run, where they were others than the revision', () => {
  const back = {
    labels: [{ namespace: 'pay', injection: 'enabled', rev: null }],
    gateways: [{ kind: 'Deployment' as const, namespace: 'edge', name: 'in', rev: null }],
  };
  const gateways = [{ kind: 'Deployment' as const, namespace: 'edge', name: 'in', wave: 0, how: 'relabel' as const }];
  expect(notes([istio({ delivery: { kind: 'HelmRelease', charts } }, { back, gateways })])).toEqual([
    [
      'Namespace shop, where it says revision 1-26, by istio.io/rev or istio-injection',
      'metadata:\n  labels:\n    istio.io/rev: 1-28 # and no istio-injection',
    ],
    ['Namespace pay, where it says revision 1-26', 'metadata:\n  labels:\n    istio-injection: enabled # and no istio.io/rev'],
  ]);
});

const oci = { repository: { namespace: 'flux-system', name: 'karpenter' } };
const karpenterTo = (to: string, ...delivered: Partial<DeliveredChart>[]): StepParams => ({
  phase: 'karpenter-controller',
  from: '1.1.0',
  to,
  minimum: '1.2.0',
  namespace: 'karpenter',
  deployment: 'karpenter',
  managedBy: 'flux',
  delivery: {
    kind: 'gitops',
    charts: delivered.map((each) => ({
      kind: 'HelmRelease',
      namespace: 'karpenter',
      name: 'karpenter',
      chart: 'karpenter',
      version: '1.1.0',
      ...each,
    })),
  },
});

test('Karpenter whose charts Helm or people change stands in no file that is known', () => {
  const { delivery: _delivery, ...people } = karpenterTo('1.2.3') as Extract<StepParams, { phase: 'karpenter-controller' }>;
  expect(notes([people, { ...people, delivery: { kind: 'helm' } }])).toEqual([]);
});

test.each<[string, StepParams, string[]]>([
  [
    'a HelmRelease',
    karpenterTo('1.2.3', {}),
    ['helm.toolkit.fluxcd.io/v2 helmreleases karpenter/karpenter: spec.chart.spec.version = "1.2.3"'],
  ],
  [
    'the OCIRepository of one',
    karpenterTo('1.2.3', oci),
    ['source.toolkit.fluxcd.io/v1 ocirepositories flux-system/karpenter: spec.ref.tag = "1.2.3"'],
  ],
  [
    'an Application, at the source that has the chart',
    karpenterTo('1.2.3', { kind: 'Application' }),
    ['argoproj.io/v1alpha1 applications karpenter/karpenter: spec.source.targetRevision = "1.2.3" of karpenter'],
  ],
  ['a minor, of which the object alone says the patch: nowhere', karpenterTo('1.2', {}, { name: 'crd', ...oci }), []],
  [
    'a relabelled namespace, and a relabelled workload',
    istio({}, { waves: [['shop']], gateways: [{ kind: 'DaemonSet', namespace: 'edge', name: 'in', wave: 0, how: 'relabel' }] }),
    [
      'v1 namespaces shop: metadata.labels.istio.io/rev = "1-28"',
      'apps/v1 daemonsets edge/in: spec.template.metadata.labels.istio.io/rev = "1-28"',
    ],
  ],
  [
    'a relabelled Gateway',
    istio({}, { waves: [[]], gateways: [{ kind: 'Gateway', namespace: 'edge', name: 'in', wave: 0, how: 'relabel' }] }),
    ['gateway.networking.k8s.io/v1 gateways edge/in: metadata.labels.istio.io/rev = "1-28"'],
  ],
])('where one sees in the cluster that it is merged: %s', (_what, params, fields) => {
  const only = { ...step(params.phase, { params }), id: `${params.phase}@1.32` as const };
  const found = iacNotes({ ...plan([]), steps: [only] }, [{ id: only.id, state: 'completed' }]).flatMap((note) => note.fields ?? []);
  const shown = found.map(({ object: { apiVersion, plural, namespace, name }, path, value, chart: of }) => {
    const object = [namespace, name].filter((part) => part !== undefined).join('/');
    return `${apiVersion} ${plural} ${object}: ${path.join('.')} = ${JSON.stringify(value)}${of === undefined ? '' : ` of ${of}`}`;
  });
  expect(shown).toEqual(fields);
});
