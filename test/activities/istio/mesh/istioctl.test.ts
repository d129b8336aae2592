/** istioctl by a stand-in that prints what the real one prints: its messages, its codes, its silence, its absence. */
import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkWithIstioctl } from '../../../../activities/observe/checks/istioctl.ts';
import { runWithin } from '../../../../activities/runtime/context.ts';
import { createIstioctl } from '../../../../activities/istio/mesh/istioctl.ts';
import { CLUSTER as cluster } from '../../../support/facts.ts';
import { depsOf, FakeKubernetes, quickTiming } from '../../../support/fake-kubernetes.ts';
import { addMeshPod, meshWorld } from '../../../support/istio-objects.ts';
import { createIstioActivities } from '../../../../activities/istio/index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'istioctl-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** As `istioctl analyze -o json` prints it (1.30). */
const message = (code: string, level: string, origin: string, text: string): object => ({
  code,
  documentationUrl: `https://istio.io/latest/docs/reference/config/analysis/${code.toLowerCase()}/?ref=istioctl-analyze`,
  level,
  message: text,
  origin,
});
const NO_GATEWAY = message('IST0101', 'Error', 'VirtualService shop/cart', 'Referenced gateway not found: "edge"');
const NO_LABEL = message('IST0102', 'Info', 'Namespace default', 'The namespace is not enabled for Istio injection.');
const MAY_NOT = message('IST0141', 'Error', 'Cluster', 'Missing required permission to create resource namespaces (permission denied)');

let count = 0;

/** Prints `analyze` and `precheck`; `fails`: what stands on stderr beside a code of 1. */
async function istioctl(answers: { analyze?: object[]; precheck?: object[]; fails?: string; sleeps?: number }) {
  count += 1;
  const binary = join(folder, `istioctl-${count}`);
  const { analyze = [], precheck = [], fails, sleeps = 0 } = answers;
  const script = `#!/usr/bin/env node
const [command] = process.argv.slice(2);
require('node:fs').appendFileSync(${JSON.stringify(`${binary}.log`)}, process.argv.slice(2).join(' ') + '\\n');
const say = () => {
  if (${JSON.stringify(fails ?? '')} !== '') { console.error(${JSON.stringify(fails ?? '')}); process.exitCode = 1; return; }
  const found = command === 'analyze' ? ${JSON.stringify(analyze)} : ${JSON.stringify(precheck)};
  if (command === 'analyze') console.log(JSON.stringify(found, null, '\\t'));
  else if (found.length > 0) { console.log(JSON.stringify(found)); console.error('Error: Issues found when checking the cluster.'); process.exitCode = 1; }
};
setTimeout(say, ${sleeps});
`;
  await writeFile(binary, script);
  await chmod(binary, 0o755);
  return { binary, runner: createIstioctl(optionsOf(binary)) };
}

const optionsOf = (binary: string, limitMs = 20_000) => ({
  binary,
  limitMs,
  env: { PATH: process.env['PATH'], SLACK_BOT_TOKEN: 'xoxb-secret' },
  kubeconfig: async () => ({ kind: 'file' as const, path: '/etc/belay/kubeconfig', context: 'prod' }),
});

describe('before a hop', () => {
  const check = (runner: Parameters<typeof checkWithIstioctl>[1], managedBy: 'helm' | 'argocd' = 'argocd', port = meshWorld()) =>
    checkWithIstioctl(port, runner, { cluster, managedBy });

  test('errors are named with their code; notes are left out, and so is the right to install where others do', async () => {
    const { runner, binary } = await istioctl({ analyze: [NO_LABEL, NO_GATEWAY], precheck: [MAY_NOT] });
    expect(await check(runner)).toEqual([
      expect.objectContaining({
        code: 'IST110',
        severity: 'recommended',
        status: 'fail',
        message: 'istioctl finds 1 error and 0 warnings.',
        resources: ['VirtualService shop/cart: Referenced gateway not found: "edge" [IST0101]'],
      }),
    ]);
    const { readFile } = await import('node:fs/promises');
    expect((await readFile(`${binary}.log`, 'utf8')).trim().split('\n')).toEqual([
      'analyze --all-namespaces --color=false --revision 1-28 --output json --kubeconfig /etc/belay/kubeconfig --context prod',
      'x precheck --output json --kubeconfig /etc/belay/kubeconfig --context prod',
    ]);
    const dead = message('IST0139', 'Error', 'MutatingWebhookConfiguration tag', 'Invalid webhook: its service is not there');
    expect((await check((await istioctl({ analyze: [dead] })).runner))[0]?.status).toBe('fail');
    expect((await check(runner, 'helm'))[0]?.message).toBe('istioctl finds 2 errors and 0 warnings.');
  });

  test('nothing found is a pass', async () => {
    expect((await check((await istioctl({})).runner))[0]).toMatchObject({ status: 'pass' });
  });

  test.each<[string, Parameters<typeof istioctl>[0], number, RegExp]>([
    [
      'a failure',
      { fails: 'Error: failed to list *v1.Secret: secrets is forbidden' },
      20_000,
      /istioctl ended with code 1: .*secrets is forbidden/,
    ],
    ['a time-out', { sleeps: 5_000 }, 200, /running istioctl: it did not end within 0\.2 s/],
  ])('%s is unknown, with its reason', async (_, answers, limitMs, why) => {
    const { binary } = await istioctl(answers);
    const [found] = await check(createIstioctl(optionsOf(binary, limitMs)));
    expect(found).toMatchObject({ code: 'IST110', status: 'unknown', message: expect.stringMatching(why) });
  });

  test('its absence is unknown, by name', async () => {
    const [found] = await check(createIstioctl(optionsOf(join(folder, 'nothing-here'))));
    expect(found).toMatchObject({
      status: 'unknown',
      message: expect.stringContaining('istioctl is not on the PATH of the worker, nor named by BELAY_ISTIOCTL'),
    });
  });

  test('a check that is cancelled is not unknown, and istioctl is not run any more', async () => {
    const { runner, binary } = await istioctl({});
    await expect(runWithin({ signal: AbortSignal.abort() }, () => check(runner))).rejects.toThrow('running istioctl: cancelled');
    await expect(access(`${binary}.log`)).rejects.toThrow('ENOENT');
  });

  test('without a mesh nothing is run', async () => {
    expect(await check((await istioctl({ analyze: [NO_GATEWAY] })).runner, 'argocd', new FakeKubernetes())).toEqual([]);
  });
});

describe('around a wave', () => {
  const verify = async (before: object[], after: Parameters<typeof istioctl>[0]) => {
    const port = meshWorld();
    addMeshPod(port, 'cart', 'web', '1-28', '1.28.3');
    const deps = depsOf(port);
    const was = createIstioActivities({ ...deps, istioctl: (await istioctl({ analyze: before })).runner });
    const baseline = await was.readWaveTraffic({ cluster, namespaces: ['cart'], revision: '1-28' });
    const is = createIstioActivities({ ...deps, istioctl: (await istioctl(after)).runner });
    const input = { cluster, timing: quickTiming(), namespaces: ['cart'], revision: '1-28', minor: '1.28' };
    return (await is.awaitProxies({ ...input, ...(baseline.analysis === undefined ? {} : { analysis: baseline.analysis }) })).analysis;
  };

  test('an error that was there before stops nothing, a new one does', async () => {
    expect(await verify([NO_GATEWAY], { analyze: [NO_GATEWAY, NO_LABEL] })).toMatchObject({ kind: 'pass' });
    expect(await verify([], { analyze: [NO_GATEWAY] })).toEqual({
      kind: 'fail',
      lines: ['VirtualService shop/cart: Referenced gateway not found: "edge" [IST0101]'],
    });
  });

  test('what cannot be compared is said', async () => {
    expect(await verify([], { fails: 'Error: timed out' })).toMatchObject({
      kind: 'inconclusive',
      lines: [expect.stringContaining('Error: timed out')],
    });
  });

  test('without istioctl there is nothing to compare', async () => {
    const none = createIstioActivities({ ...depsOf(meshWorld()), istioctl: createIstioctl(optionsOf(join(folder, 'nothing-here'))) });
    expect(await none.readWaveTraffic({ cluster, namespaces: ['cart'], revision: '1-28' })).not.toHaveProperty('analysis');
  });
});
