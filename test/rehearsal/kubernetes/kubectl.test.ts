/** kubectl against the stand-in, where kubectl is installed. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { coreControllers, settle } from '../../../rehearsal/kubernetes/controllers/index.ts';
import { isTerminating } from '../../../rehearsal/kubernetes/pods/pods.ts';
import { describeWithKubectl } from '../../support/tools.ts';
import { startStandIn } from './harness.ts';
import { budget, makeWorld, node, workload } from './world.ts';
import { PATIENCE } from '../../support/eventually.ts';

describeWithKubectl('kubectl', () => {
  const { store, world, clock } = makeWorld({ podStartMs: 1000 });
  let twin: Awaited<ReturnType<typeof startStandIn>>;
  let folder: string;
  let ticking: NodeJS.Timeout;

  beforeAll(async () => {
    for (const name of ['node-1', 'node-2']) store.create('nodes', node(name));
    store.create('deployments', workload('Deployment', 'cart', { replicas: 3 }));
    store.create('daemonsets', workload('DaemonSet', 'agent'));
    store.create('poddisruptionbudgets', budget('cart', 'cart', { minAvailable: 2 }));
    settle(world);
    twin = await startStandIn({ store });
    folder = await mkdtemp(join(tmpdir(), 'belay-kubectl-'));
    const cluster = { server: twin.server.url, 'certificate-authority-data': twin.server.caData };
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'twin',
      clusters: [{ name: 'twin', cluster }],
      users: [{ name: 'human', user: { token: 'human' } }],
      contexts: [{ name: 'twin', context: { cluster: 'twin', user: 'human' } }],
    };
    await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig));
    ticking = setInterval(() => {
      clock.step(2000);
      for (const controller of coreControllers) controller.tick(world);
    }, 50);
  });

  afterAll(async () => {
    clearInterval(ticking);
    await twin?.server.close();
    if (folder) await rm(folder, { recursive: true });
  });

  const kubectl = async (...args: string[]) => {
    const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
    const { stdout } = await promisify(execFile)('kubectl', args, { env, timeout: 30_000 * PATIENCE });
    return stdout;
  };

  test('get prints the columns that people know', async () => {
    expect(await kubectl('get', 'nodes', '--no-headers')).toMatch(/^node-1 +Ready +<none> .*\nnode-2 +Ready/);
    expect(await kubectl('get', 'deployments', '-A')).toMatch(
      /NAMESPACE +NAME +READY +UP-TO-DATE +AVAILABLE +AGE\ndefault +cart +3\/3 +3 +3 /,
    );
  });

  test('cordon, drain and uncordon a node, within the budget', async () => {
    expect(await kubectl('drain', 'node-1', '--ignore-daemonsets', '--timeout=25s')).toContain('node/node-1 drained');
    const onNode = store.list('pods', { labels: { app: 'cart' } }).filter((pod) => pod.spec.nodeName === 'node-1' && !isTerminating(pod));
    expect(onNode).toEqual([]);
    await kubectl('uncordon', 'node-1');
    expect(store.get('nodes', 'node-1')?.spec.unschedulable).toBeUndefined();
  });

  test('rollout restart and status', async () => {
    await kubectl('rollout', 'restart', 'deployment/cart');
    expect(await kubectl('rollout', 'status', 'deployment/cart', '--timeout=25s')).toContain('successfully rolled out');
  });
});
