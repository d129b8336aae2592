/** Merged, not merged, taken back: told by the object alone. What does not tell is unknown. */
import { describe, expect, test } from 'vitest';
import { judgeMerge, type SeenObject, type SyncState, unmergedLines } from '../../../../domain/run/code-changes/merged.ts';
import type { IacNote } from '../../../../domain/run/code-changes/note.ts';
import type { MergeFinding } from '../../../../domain/run/record/merge-finding.ts';

const release = { apiVersion: 'helm.toolkit.fluxcd.io/v2', plural: 'helmreleases', namespace: 'karpenter', name: 'karpenter' };
const path = ['spec', 'chart', 'spec', 'version'];
const note: IacNote = {
  object: 'HelmRelease karpenter/karpenter',
  says: 'karpenter 1.1.0',
  lines: '',
  fields: [{ object: release, path, value: '1.2.3' }],
};

const at = (version: string) => ({ spec: { chart: { spec: { version } } } });
const applied = (version: string) => ({ annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(at(version)) } });
const fields = (operation: string, field: string) => ({
  managedFields: [{ manager: 'kustomize-controller', operation, fieldsV1: { 'f:spec': { 'f:chart': { 'f:spec': { [field]: {} } } } } }],
});

describe('judgeMerge', () => {
  test.each<[string, SeenObject | undefined, string, string]>([
    [
      'it says the old version',
      { metadata: {}, ...at('1.1.0') },
      'taken-back',
      'helmreleases/karpenter spec.chart.spec.version says 1.1.0, not 1.2.3',
    ],
    ['its field is gone', { metadata: {} }, 'taken-back', 'says nothing, not 1.2.3'],
    [
      'kubectl has applied the old one',
      { metadata: applied('1.1.0'), ...at('1.2.3') },
      'not-merged',
      'was last applied as 1.1.0: the next apply takes it back',
    ],
    ['kubectl has applied the new one', { metadata: applied('1.2.3'), ...at('1.2.3') }, 'merged', 'was applied as 1.2.3'],
    ['Flux applies this very field', { metadata: fields('Apply', 'f:version'), ...at('1.2.3') }, 'merged', 'kustomize-controller applies'],
    [
      'Flux applies another field',
      { metadata: fields('Apply', 'f:chart'), ...at('1.2.3') },
      'unknown',
      'nothing on helmreleases/karpenter tells',
    ],
    [
      'a patch is no apply',
      { metadata: fields('Update', 'f:version'), ...at('1.2.3') },
      'unknown',
      'nothing on helmreleases/karpenter tells',
    ],
    [
      'an annotation that is no JSON tells nothing',
      { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{' } }, ...at('1.2.3') },
      'unknown',
      'nothing',
    ],
    ['it is gone', undefined, 'unknown', 'is not there any more'],
  ])('%s', (_what, seen, state, why) => {
    expect(judgeMerge(note, [seen])).toEqual({ object: note.object, state, why: expect.stringContaining(why) });
  });

  test('of several fields the worst counts; the order of keys does not', () => {
    const object = { apiVersion: 'karpenter.k8s.aws/v1', plural: 'ec2nodeclasses', name: 'default' };
    const terms = [{ id: 'ami-1', owner: 'self' }];
    const both: IacNote = {
      ...note,
      fields: [
        { object, path: ['spec', 'amiSelectorTerms'], value: terms },
        { object, path: ['spec', 'amiFamily'], value: 'AL2023' },
      ],
    };
    const spec = { amiSelectorTerms: [{ owner: 'self', id: 'ami-1' }], amiFamily: 'AL2' };
    const seen = { metadata: {}, spec };
    expect(judgeMerge(both, [seen, seen])).toMatchObject({
      state: 'taken-back',
      why: 'ec2nodeclasses/default spec.amiFamily says AL2, not AL2023',
    });
  });

  test('an Application with several sources is read at the one that has the chart', () => {
    const object = { apiVersion: 'argoproj.io/v1alpha1', plural: 'applications', namespace: 'argocd', name: 'mesh' };
    const app: IacNote = { ...note, fields: [{ object, path: ['spec', 'source', 'targetRevision'], value: '1.28.3', chart: 'base' }] };
    const sources = [
      { chart: 'cni', targetRevision: '1.27.1' },
      { chart: 'istio/base', targetRevision: '1.28.3' },
    ];
    const saying = (all: typeof sources) => ({ metadata: {}, spec: { sources: all } });
    expect(judgeMerge(app, [saying(sources)]).state).toBe('unknown');
    expect(judgeMerge(app, [saying(sources.slice(0, 1))]).state).toBe('taken-back');
  });

  test('what only code could tell is unknown, and says where to look', () => {
    expect(judgeMerge({ ...note, when: 'where Terraform declares it', fields: undefined }, [])).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining('planned'),
    });
    expect(judgeMerge({ ...note, fields: undefined }, [])).toMatchObject({ state: 'unknown' });
  });
});

describe('judgeMerge, with what Flux and Argo CD say', () => {
  const merged = { metadata: applied('1.2.3'), ...at('1.2.3') };
  const untold = { metadata: {}, ...at('1.2.3') };
  const where = 'helmreleases/karpenter spec.chart.spec.version';
  const untoldWhy = 'nothing on helmreleases/karpenter tells what its file says';
  const ready: SyncState = { by: 'Kustomization flux-system/apps', kind: 'synced', why: 'is Ready at main@sha1:1f2e' };
  const suspended: SyncState = { by: 'Kustomization flux-system/apps', kind: 'behind', why: 'is suspended' };
  const denied: SyncState = { by: 'Kustomization flux-system/apps', kind: 'unknown', why: 'could not be read: forbidden' };
  const inStep: SyncState = { by: 'Application argocd/apps', kind: 'synced', why: 'is Synced at 1f2e', compares: true };
  test.each<[string, SeenObject, SyncState[], string, string]>([
    [
      'merged and applied',
      merged,
      [ready],
      'merged',
      `${where} was applied as 1.2.3; Kustomization flux-system/apps is Ready at main@sha1:1f2e`,
    ],
    [
      'merged, not applied yet',
      merged,
      [ready, suspended],
      'not-synced',
      `${where} was applied as 1.2.3; Kustomization flux-system/apps is suspended`,
    ],
    [
      'merged, whether applied cannot be seen',
      merged,
      [denied],
      'unknown',
      `${where} was applied as 1.2.3; Kustomization flux-system/apps could not be read: forbidden`,
    ],
    ['Argo CD sees no difference to Git', untold, [inStep], 'merged', 'Application argocd/apps is Synced at 1f2e'],
    ['that Flux is Ready does not say what Git says', untold, [ready], 'unknown', untoldWhy],
    [
      'one of two cannot be seen',
      untold,
      [inStep, denied],
      'unknown',
      `${untoldWhy}; Kustomization flux-system/apps could not be read: forbidden`,
    ],
    [
      'taken back stays the worst',
      { metadata: {}, ...at('1.1.0') },
      [suspended],
      'taken-back',
      `${where} says 1.1.0, not 1.2.3; Kustomization flux-system/apps is suspended`,
    ],
    [
      'nothing that is Synced outweighs an old apply',
      { metadata: applied('1.1.0'), ...at('1.2.3') },
      [inStep],
      'not-merged',
      `${where} was last applied as 1.1.0: the next apply takes it back`,
    ],
  ])('%s', (_what, seen, syncs, state, why) => {
    expect(judgeMerge(note, [seen], [syncs])).toEqual({ object: note.object, state, why });
  });
});

test('of a run that has ended, what is not merged and applied, the worst first', () => {
  const states: MergeFinding['state'][] = ['unknown', 'merged', 'not-synced', 'taken-back', 'not-merged'];
  expect(unmergedLines(states.map((state) => ({ object: 'it', state, why: 'so' })))).toEqual([
    'REVERTED: it: so',
    'NOT MERGED: it: so',
    'NOT SYNCED: it: so',
    'UNKNOWN: it: so',
  ]);
});

test('where only some of many fields were looked at, that these are merged is not enough', () => {
  const seen = { metadata: applied('1.2.3'), ...at('1.2.3') };
  expect(judgeMerge({ ...note, leftOut: 4 }, [seen])).toEqual({
    object: note.object,
    state: 'unknown',
    why: 'helmreleases/karpenter spec.chart.spec.version was applied as 1.2.3; 4 more of its fields were not looked at: there are too many',
  });
  expect(judgeMerge({ ...note, leftOut: 4 }, [{ metadata: {}, ...at('1.1.0') }]).state).toBe('taken-back');
});
