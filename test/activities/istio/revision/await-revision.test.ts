/** How long a revision is waited for: as long as people are given where they are asked, and no longer than a rollout where its chart is installed. */
import { describe, expect, test } from 'vitest';
import { createIstioActivities } from '../../../../activities/istio/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addRevision, meshWorld } from '../../../support/istio-objects.ts';

const cluster = CLUSTER;
const ISTIOD = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'istio-system', name: 'istiod-1-28' };
const LONG_MS = 60_000;
const quick = quickTiming({ askTimeoutMs: LONG_MS, rolloutTimeoutMs: 15 });

describe('once its chart is installed', () => {
  test('an istiod whose image cannot be pulled is said after the time of a rollout', async () => {
    const port = meshWorld();
    port.edit(ISTIOD, (istiod) => void (istiod['status'] = { observedGeneration: 1, replicas: 1, updatedReplicas: 1 }));
    const revision = { revision: '1-28', minor: '1.28', delivered: true };
    expect(await createIstioActivities(depsOf(port)).awaitIstioRevision({ cluster, timing: quick, ...revision })).toMatchObject({
      timedOut: true,
      lack: expect.stringMatching(/^istiod-1-28: /),
    });
  });
});

describe('once it is uninstalled', () => {
  test('what is left of it is said after the time of a rollout', async () => {
    const port = meshWorld();
    addRevision(port, '1-26', '1.26.2');
    const gone = await createIstioActivities(depsOf(port)).awaitIstioRevisionGone({
      cluster,
      timing: quick,
      revision: '1-26',
      uninstalled: true,
    });
    expect(gone).toMatchObject({ gone: false, left: expect.arrayContaining(['Deployment istio-system/istiod-1-26']) });
  });
});
