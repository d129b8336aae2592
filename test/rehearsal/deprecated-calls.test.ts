/** A client that calls a deprecated API of the twin's API server shows up in EKS's upgrade insight. */
import { DescribeInsightCommand, ListInsightsCommand, StartInsightsRefreshCommand, UpdateClusterVersionCommand } from '@aws-sdk/client-eks';
import { CustomObjectsApi } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveKubernetes } from '../../rehearsal/play/stage/cluster-side.ts';
import type { KubernetesServer } from '../../rehearsal/kubernetes/server.ts';
import { ManualClock } from '../../rehearsal/world/manual-clock.ts';
import { configFor, rawGet, refusal } from './kubernetes/harness.ts';
import { MINUTE_MS, openTwin, type Twin } from './support.ts';

const TOKEN = 'human';
const DAY_MS = 24 * 60 * MINUTE_MS;
const OLD = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1beta3', plural: 'flowschemas' };
const PATH = `/apis/${OLD.group}/${OLD.version}/${OLD.plural}`;

let twin: Twin;
let kubernetes: KubernetesServer;
beforeEach(async () => {
  twin = await openTwin('small');
  kubernetes = await serveKubernetes(twin, TOKEN);
});
afterEach(async () => {
  await kubernetes.close();
  await twin.close();
});

const get = (path: string, userAgent: string) => rawGet(kubernetes, path, { authorization: `Bearer ${TOKEN}`, 'user-agent': userAgent });
const listOld = () => configFor(kubernetes, TOKEN).makeApiClient(CustomObjectsApi).listClusterCustomObject(OLD);

/** Time passes, and of the twin's controllers only insights work: thirty days of all of them would take long. */
function pass(worldMs: number): void {
  const { world, controllers } = twin;
  if (world.clock instanceof ManualClock) world.clock.step(worldMs);
  controllers.find(({ name }) => name === 'insights')?.tick(world);
}

/** The insight on removed APIs, refreshed. */
async function insight() {
  const clusterName = 'small';
  await twin.eks.send(new StartInsightsRefreshCommand({ clusterName }));
  pass(MINUTE_MS);
  const { insights } = await twin.eks.send(new ListInsightsCommand({ clusterName }));
  const found = insights?.find(({ name }) => name === 'Deprecated APIs removed in Kubernetes v1.32');
  return (await twin.eks.send(new DescribeInsightCommand({ clusterName, id: found?.id }))).insight;
}

test('with its user agent, how often and when, for thirty days', async () => {
  expect((await insight())?.insightStatus?.status).toBe('PASSING');
  await get(PATH, 'argocd/2.8');
  pass(MINUTE_MS);
  await get(PATH, 'argocd/2.8');
  await get(PATH.replace('v1beta3', 'v1'), 'flux/2.6');
  const found = await insight();
  expect(found?.insightStatus).toEqual({
    status: 'ERROR',
    reason: 'Deprecated API usage detected within last 30 days and your cluster is on the version before its removal.',
  });
  expect(found?.categorySpecificSummary?.deprecationDetails).toEqual([
    {
      usage: PATH,
      replacedWith: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
      stopServingVersion: '1.32',
      startServingReplacementVersion: '1.29',
      clientStats: [{ userAgent: 'argocd/2.8', numberOfRequestsLast30Days: 2, lastRequestTime: new Date('2025-04-29T08:02:00Z') }],
    },
  ]);
  pass(30 * DAY_MS - 2 * MINUTE_MS);
  expect((await insight())?.insightStatus?.status).toBe('ERROR');
  expect((await insight())?.insightStatus?.status).toBe('PASSING');
});

test('it is warned, and counted in the metrics of the API server with the release that removes the API', async () => {
  expect(await listOld()).toMatchObject({ kind: 'FlowSchemaList', apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3' });
  expect((await get(PATH, 'argocd/2.8')).warning).toBe(
    '299 - "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 FlowSchema"',
  );
  const metrics = (await get('/metrics', 'prometheus/3')).text.split('\n');
  expect(metrics.filter((line) => line.startsWith('apiserver_requested_deprecated_apis'))).toEqual([
    'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="flowschemas",subresource="",version="v1beta3"} 1',
  ]);
});

test('until the control plane has moved to the release that removes it', async () => {
  await twin.eks.send(new UpdateClusterVersionCommand({ name: 'small', version: '1.32' }));
  twin.until('the control plane is at 1.32', () => twin.world.eks.cluster.version === '1.32');
  expect(await refusal(listOld())).toMatchObject({ code: 404 });
});
