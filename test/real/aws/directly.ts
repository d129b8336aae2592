/** Operations that no rehearsal and no check comes to: Belay's own activities, asked for them, with the recording proxy before the twin. */
import { createEksActivities } from '../../../activities/eks/index.ts';
import { readImages } from '../../../activities/run/planning/node-images.ts';
import { checkPermissions } from '../../../activities/karpenter/controller/permissions.ts';
import { judgeRole } from '../../../activities/karpenter/migration/iam-role.ts';
import type { KubernetesPort } from '../../../activities/contract/ports.ts';
import { stopRefresh } from '../../../activities/eks/auto-scaling/instance-refresh.ts';
import { LOAD_BALANCER } from '../../../rehearsal/aws/metrics/cloudwatch.ts';
import { knownAmis } from '../../../rehearsal/aws/eks/nodes/amis.ts';
import { karpenterPolicy } from '../../../rehearsal/scenarios/parts/karpenter-policies.ts';
import { discoverClusters } from '../../../worker/local/discover.ts';
import { movedUp } from '../../activities/support/moved-up.ts';
import { startTwin, type Twin } from '../../activities/support/twin.ts';
import { type Exchange, startCapture } from './capture.ts';

const signal = { abortSignal: new AbortController().signal };

/** In pages as short as can be, as lists are what most of them ask for. */
export async function captureDirectly(): Promise<Exchange[]> {
  const played = [
    await captured('karpenter-beta-flux', judgeKarpenter),
    await captured('cloudwatch-only', askCloudWatch),
    await captured('auto-mode', cancelTheWayBack),
    await captured('small', lookUpImages),
    await captured('instance-refresh', stopRefreshes),
    await captured('small', beRefused),
  ];
  return played.flat();
}

async function captured(scenario: string, ask: (twin: Twin) => Promise<void>): Promise<Exchange[]> {
  const twin = await startTwin(scenario, ['eks:short-pages']);
  // Clients look for their endpoint when they first send something.
  const capture = await startCapture(process.env['AWS_ENDPOINT_URL'] ?? '', `${scenario}, asked directly`);
  process.env['AWS_ENDPOINT_URL'] = capture.url;
  try {
    await ask(twin);
    return capture.exchanges;
  } finally {
    await capture.close();
    await twin.close();
  }
}

async function judgeKarpenter(twin: Twin): Promise<void> {
  const { eks } = twin.built.world;
  const document = karpenterPolicy('v1', eks.cluster);
  const policies = [{ name: 'own', document }, ...['one', 'two'].map((name) => ({ name, document, managed: true as const }))];
  eks.controllerRoles[0]?.policies?.push(...policies);
  const { kubernetes } = await twin.clients.clusterPorts(twin.ref);
  await judgeRole(twin.clients, kubernetes, twin.ref, 'v1');
  await simulateByPodIdentity(twin, kubernetes);
  await discoverClusters(twin.ref.region);
}

/** The role of the association, as the annotation is gone. */
async function simulateByPodIdentity({ built, clients, ref }: Twin, port: KubernetesPort): Promise<void> {
  const account = { namespace: 'kube-system', name: 'karpenter' };
  const { eks, store } = built.world;
  Object.assign(eks.controllerRoles[0] ?? {}, {
    association: { id: 'a-karpenter0000000', namespace: account.namespace, serviceAccount: account.name },
  });
  store.update('serviceaccounts', account.name, account.namespace, ({ metadata }) => void delete metadata.annotations);
  const actions = ['ec2:RunInstances', 'ec2:CreateFleet', 'eks:DescribeCluster'];
  const found = await checkPermissions({ aws: clients.aws(ref), account: clients.account(ref), port }, ref, account, actions);
  // What is on the second page is known as well.
  if (found.some(({ granted }) => granted === 'unknown')) throw new Error(`not known: ${JSON.stringify(found)}`);
}

async function lookUpImages({ clients, ref }: Twin): Promise<void> {
  const { kubernetes } = await clients.clusterPorts(ref);
  const ids = knownAmis()
    .slice(0, 2)
    .map(({ id }) => id);
  const { names = {} } = await readImages(clients.account(ref), kubernetes, { aliases: [], ids, minor: '1.31' });
  if (Object.keys(names).length !== ids.length) throw new Error(`of ${ids.length} images ${Object.keys(names).length} were found`);
}

async function askCloudWatch(twin: Twin): Promise<void> {
  const of = (metric: string, namespace: string, dimensions: Record<string, string>) => ({ namespace, metric, dimensions, stat: 'Sum' });
  const { cloudWatch } = await twin.clients.clusterPorts(twin.ref);
  await cloudWatch?.query({
    periodMs: 60_000,
    metrics: {
      all: of('apiserver_request_total', 'AWS/EKS', { ClusterName: twin.ref.name }),
      shop: of('RequestCount', 'AWS/ApplicationELB', { LoadBalancer: LOAD_BALANCER }),
    },
  });
}

async function cancelTheWayBack(twin: Twin): Promise<void> {
  movedUp(twin, '1.31', 2);
  const activities = createEksActivities(twin.clients);
  const notBefore = twin.built.world.clock.now().toISOString();
  const back = { cluster: twin.ref, to: '1.30', token: 'belay', notBefore, back: true as const, nodesTimeoutMinutes: 180 };
  const { updateId = '' } = await activities.startControlPlaneUpdate(back);
  await activities.cancelRollback({ cluster: twin.ref, updateId, token: 'stop' });
}

async function stopRefreshes(twin: Twin): Promise<void> {
  const account = twin.clients.account(twin.ref);
  const autoScaling = await account.autoScaling();
  const group = twin.built.world.eks.network.autoScalingGroups.find(({ name }) => name === 'batch');
  const DesiredConfiguration = { LaunchTemplate: { LaunchTemplateId: group?.launchTemplate.id, Version: '1' } };
  for (const how of ['cancel', 'roll-back'] as const) {
    // The world goes on meanwhile: on a busy machine a refresh may be over before it is stopped.
    for (let [tries, isStopped] = [0, false]; tries < 10 && !isStopped; tries += 1) {
      await autoScaling.startInstanceRefresh({ AutoScalingGroupName: 'batch', DesiredConfiguration }, signal);
      await stopRefresh(account, 'batch', how);
      isStopped = /^(Cancel|Rollback)/.test(group?.refreshes?.at(-1)?.status ?? '');
      Object.assign(group ?? {}, { refreshes: [] });
    }
  }
}

/** One error of each protocol. */
async function beRefused(twin: Twin): Promise<void> {
  const account = twin.clients.account(twin.ref);
  const [autoScaling, cloudWatch, ec2, iam, kms, ssm] = await Promise.all([
    account.autoScaling(),
    account.cloudWatch(),
    account.ec2(),
    account.iam(),
    account.kms(),
    account.ssm(),
  ]);
  const Period = { StartTime: new Date(2_000), EndTime: new Date(1_000) };
  const refused = await Promise.allSettled([
    autoScaling.cancelInstanceRefresh({ AutoScalingGroupName: 'nobody' }, signal),
    cloudWatch.getMetricData({ MetricDataQueries: [], ...Period, NextToken: 'nonsense' }, signal),
    ec2.describeImages({ ImageIds: ['ami-00000000000000000'] }, signal),
    iam.getRole({ RoleName: 'nobody' }, signal),
    kms.describeKey({ KeyId: 'nobody' }, signal),
    ssm.getParameter({ Name: '/nobody' }, signal),
  ]);
  const accepted = refused.filter(({ status }) => status === 'fulfilled').length;
  if (accepted > 0) throw new Error(`${accepted} requests were accepted that are meant to be refused`);
}
