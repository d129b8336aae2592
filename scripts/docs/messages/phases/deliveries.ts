/** Examples of workflows/messages: charts through Flux or Argo CD, Istio's revisions among them, and bakes. */
import type { DeliveredChart } from '../../../../domain/facts/facts.ts';
import * as bakes from '../../../../workflows/messages/bakes.ts';
import * as deliveries from '../../../../workflows/messages/deliveries.ts';
import * as gitops from '../../../../workflows/messages/istio/gitops.ts';
import { chapter } from '../chapter.ts';

const CHANGE = { chart: 'karpenter', object: 'HelmRelease karpenter/karpenter', version: '1.6.2' };

export const deliveryChapter = chapter('Charts by GitOps', 'workflows/messages/deliveries.ts', deliveries, {
  settingVersion: [[CHANGE]],
  versionSet: [['Karpenter', CHANGE]],
});

const OLD: DeliveredChart = { kind: 'HelmRelease', namespace: 'istio-system', name: 'istiod-1-26', chart: 'istiod', version: '1.26.2' };
const FRESH: DeliveredChart = { ...OLD, name: 'istiod-1-28', version: '1.28.3' };
const BASE: DeliveredChart = { ...OLD, name: 'base', chart: 'base' };
const OWNER = 'Kustomization flux-system/platform';
const CHANGES = ['revision: 1-26 → 1-28'];
const MANIFEST = 'kind: HelmRelease\nmetadata: {name: istiod-1-28, namespace: istio-system}\nspec: …\n';
const FROM_TO = { fromRevision: '1-26', toRevision: '1-28' };
const GONE = { object: 'HelmRelease istio-system/istiod-1-26', revision: '1-26', successor: '1-28' };

export const istioGitopsChapter = chapter('Istio by GitOps', 'workflows/messages/istio/gitops.ts', gitops, {
  readingDelivery: [['1-26']],
  askedAsAWhole: [['no HelmRelease delivers istiod of revision 1-26', '1-28']],
  installRevisionGate: [
    [
      {
        ...FROM_TO,
        version: '1.28.3',
        base: { chart: { ...BASE, owner: OWNER }, ahead: false, changes: [] },
        old: OLD,
        fresh: { chart: FRESH, changes: CHANGES },
      },
    ],
    [{ ...FROM_TO, version: 'the newest patch of 1.28', base: undefined, old: OLD, fresh: { chart: FRESH, changes: CHANGES } }],
  ],
  mergeBase: [[BASE, { toVersion: '1.28.3', toMinor: '1.28', fromRevision: '1-26' }, { changes: [], owner: OWNER, managedBy: 'flux' }]],
  creatingRevision: [['HelmRelease istio-system/istiod-1-28', '1-28', 'HelmRelease istio-system/istiod-1-26']],
  revisionCreated: [['HelmRelease istio-system/istiod-1-28', { ...FROM_TO, version: '1.28.3' }]],
  addRevision: [
    [
      '1-28',
      '1.28.3',
      {
        old: OLD,
        fresh: { chart: FRESH, owner: OWNER, manifest: MANIFEST, withheld: false, changes: CHANGES },
        managedBy: 'flux',
      },
    ],
  ],
  removingObject: [['HelmRelease istio-system/istiod-1-26', '1-26']],
  revisionRemoved: [['HelmRelease istio-system/istiod-1-26', '1-26', MANIFEST.replaceAll('1-28', '1-26')]],
  removeFromGit: [
    [GONE, { owner: OWNER, kind: 'HelmRelease', managedBy: 'flux' }],
    [GONE, { owner: 'ResourceSet flux-system/platform', kind: 'HelmRelease', managedBy: 'flux' }],
    [
      { ...GONE, object: 'Application argocd/istio' },
      { cannot: 'it delivers other charts too', kind: 'Application', managedBy: 'argocd' },
    ],
  ],
  mergeAgent: [
    [
      { kind: 'istio-cni', namespace: 'istio-system', daemonSet: 'istio-cni-node', from: '1.26.2', toMinor: '1.28' },
      { ...OLD, name: 'cni', chart: 'cni' },
      { owner: OWNER, managedBy: 'flux' },
    ],
    [
      { kind: 'ztunnel', namespace: 'istio-system', daemonSet: 'ztunnel', from: '1.29.6', toMinor: '1.30' },
      { ...OLD, name: 'ztunnel', chart: 'ztunnel' },
      { owner: OWNER, managedBy: 'flux', values: [{ path: ['tag'] }, { path: ['hub'], value: 'docker.io/istio' }] },
    ],
  ],
});

const BAKE = { until: '2026-05-01 10:00 UTC', lastsMs: 600_000, seen: { title: 'Rolled out', lines: ['6 pods of revision 1-28'] } };

export const bakeChapter = chapter('Bakes', 'workflows/messages/bakes.ts', bakes, {
  bakeGate: [
    [
      { after: 'control-plane', to: '1.32' },
      {
        ...BAKE,
        seen: { title: 'Control plane right after the update', lines: ['5 checks passed'] },
        undo: 'EKS can roll it back to 1.31.',
      },
    ],
    [
      { after: 'istio-wave', label: 'wave 1 of 3 to 1-28' },
      { ...BAKE, undo: 'Until 1-26 is retired the wave can be moved back; its own gate follows the bake.' },
    ],
  ],
  waveBakeUndo: [['1-26']],
});
