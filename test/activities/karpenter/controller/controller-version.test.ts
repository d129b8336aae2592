/** Karpenter's controller is waited for until its image is new enough, or old enough on the way back, and has rolled out. */
import { expect, test } from 'vitest';
import { createKarpenterActivities } from '../../../../activities/karpenter/index.ts';
import { CLUSTER } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { workloadObject } from '../../../support/kubernetes-objects.ts';

const IMAGE = 'public.ecr.aws/karpenter/controller';

test.each<{ what: string; image?: string; back?: true; version: string; timedOut: boolean }>([
  { what: 'as wanted', image: `${IMAGE}:1.6.8`, version: '1.6.8', timedOut: false },
  { what: 'newer than wanted', image: `${IMAGE}:1.7.1`, version: '1.7.1', timedOut: false },
  { what: 'too old', image: `${IMAGE}:1.4.0`, version: '1.4.0', timedOut: true },
  { what: 'back, and still newer', image: `${IMAGE}:1.7.1`, back: true, version: '1.7.1', timedOut: true },
  { what: 'back, and there', image: `${IMAGE}:1.6.8`, back: true, version: '1.6.8', timedOut: false },
  { what: 'an image without a version', image: `${IMAGE}@sha256:00`, version: 'unknown', timedOut: true },
  { what: 'no Deployment, as while a chart is installed anew', version: 'unknown', timedOut: true },
])('$what', async ({ image, back, version, timedOut }) => {
  const port = new FakeKubernetes();
  const template = { spec: { containers: [{ name: 'controller', image }] } };
  if (image !== undefined) port.put('apps/v1', 'deployments', workloadObject('Deployment', 'kube-system', 'karpenter', { template }));
  const { awaitKarpenterVersion } = createKarpenterActivities(depsOf(port));
  const seen = await awaitKarpenterVersion({
    cluster: CLUSTER,
    // A failing look would be repeated for so long and then thrown.
    timing: quickTiming({ askTimeoutMs: 20, apiTransientMs: 0 }),
    wanted: '1.6.8',
    minimum: '1.5',
    namespace: 'kube-system',
    deployment: 'karpenter',
    ...(back === undefined ? {} : { back }),
  });
  expect(seen).toEqual({ version, timedOut });
});
