/** A twin whose objects are not what is believed of them is found out, for each outside that is looked at through the API server. */
import { expect, test } from 'vitest';
import type { KubeObject, ObjectStore } from '../../rehearsal/kubernetes/store.ts';
import { lines, openTwin } from './support.ts';

interface Bend {
  id: string;
  scenario: string;
  bend: (store: ObjectStore) => void;
  saw: RegExp;
}

/** Changes the first object of a kind that fits. Throws where there is none. */
function bendOne(store: ObjectStore, plural: string, change: (copy: KubeObject) => void, fits: (object: KubeObject) => boolean): void {
  const found = store.list(plural).find(fits);
  if (found === undefined) throw new Error(`none of ${plural} is to be bent`);
  store.update(plural, found.metadata.name, found.metadata.namespace, change);
}

const any = (): boolean => true;
const labelled =
  (label: string) =>
  ({ metadata: { labels = {} } }: KubeObject): boolean =>
    labels[label] !== undefined;
const annotated =
  (annotation: string) =>
  ({ metadata: { annotations = {} } }: KubeObject): boolean =>
    annotations[annotation] !== undefined;

const WEBHOOKS = 'mutatingwebhookconfigurations';
const TRACKING = 'argocd.argoproj.io/tracking-id';
const FLUX_NAME = 'helm.toolkit.fluxcd.io/name';

const BENDS: readonly Bend[] = [
  {
    id: 'K8S-SKEW',
    scenario: 'karpenter-flux',
    bend: (store) => bendOne(store, 'nodes', ({ status }) => void (status.nodeInfo.kubeletVersion = 'v1.99.0-eks-1'), any),
    saw: /is outside of it/,
  },
  {
    id: 'KARPENTER-STORED',
    scenario: 'karpenter-flux',
    bend: (store) =>
      store.update('customresourcedefinitions', 'nodepools.karpenter.sh', undefined, ({ status }) => {
        status.storedVersions = ['v1alpha9'];
      }),
    saw: /v1alpha9 is stored/,
  },
  {
    id: 'ISTIO-BOTH-LABELS',
    scenario: 'istio-argo',
    bend(store) {
      for (const { metadata } of store.list(WEBHOOKS).filter(labelled('istio.io/rev')))
        store.update(WEBHOOKS, metadata.name, undefined, (copy) => {
          for (const hook of copy.webhooks)
            hook.namespaceSelector.matchExpressions = hook.namespaceSelector.matchExpressions.filter(
              ({ key }: { key: string }) => key !== 'istio-injection',
            );
        });
    },
    saw: /selects namespaces with both labels/,
  },
  {
    id: 'ISTIO-REVISION',
    scenario: 'istio-argo',
    bend: (store) => bendOne(store, 'deployments', (copy) => delete copy.metadata.labels?.['istio.io/rev'], labelled('istio.io/rev')),
    saw: /does not say its revision/,
  },
  {
    id: 'FLUX-HISTORY',
    scenario: 'karpenter-flux',
    // Behind the current entry: what is current stays as it is, so that helm-controller has nothing to reconcile.
    bend: (store) => bendOne(store, 'helmreleases', ({ status }) => void status.history.push({ version: 99 }), any),
    saw: /is not its newest/,
  },
  {
    id: 'FLUX-LABELS',
    scenario: 'karpenter-flux',
    bend: (store) =>
      bendOne(
        store,
        'deployments',
        ({ metadata }) => void Object.assign(metadata.labels ?? {}, { [FLUX_NAME]: 'gone' }),
        labelled(FLUX_NAME),
      ),
    saw: /names .*\/gone, which does not exist/,
  },
  {
    id: 'ARGO-TRACKING',
    scenario: 'istio-argo',
    bend: (store) =>
      bendOne(
        store,
        'deployments',
        ({ metadata }) => void Object.assign(metadata.annotations ?? {}, { [TRACKING]: 'teams' }),
        annotated(TRACKING),
      ),
    saw: /carries teams/,
  },
];

test.each(BENDS)(
  'RT10: bent on $scenario, $id does not hold',
  async ({ id, scenario, bend, saw }) => {
    const twin = await openTwin(scenario);
    try {
      bend(twin.stage.built.world.store);
      const { tried } = await twin.run({ only: [id] });
      expect(lines(tried, 'broken')).toEqual([expect.stringMatching(saw)]);
    } finally {
      await twin.close();
    }
  },
  180_000,
);
