/** The default runner: a real child process, a private kubeconfig that goes away, cancellation. */
import { describe, expect, test } from 'vitest';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { CLUSTER } from '../../../support/facts.ts';
import { createHelmRunner } from '../../../../activities/kubernetes/helm/runner.ts';
import { type HelmKubeconfig, kubeconfigText } from '../../../../activities/clients/kubernetes/kubeconfig.ts';

async function withBinary<T>(script: string, work: (binary: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'belay-test-'));
  try {
    const binary = join(folder, 'helm');
    await writeFile(binary, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    return await work(binary);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const SECRETS = { SLACK_BOT_TOKEN: 'xoxb-1', HELM_KUBETOKEN: 'other', HELM_NAMESPACE: 'other', KUBECONFIG: '/other' };

interface Change {
  signal?: AbortSignal;
  input?: string;
  limitMs?: number;
  kubeconfig?: HelmKubeconfig;
}

function run(binary: string, { signal = new AbortController().signal, input, limitMs, kubeconfig }: Change = {}) {
  const source: HelmKubeconfig = kubeconfig ?? { kind: 'text', text: 'kind: Config' };
  const env = { PATH: process.env['PATH'], HELM_CACHE_HOME: '/cache', ...SECRETS };
  const runner = createHelmRunner({ binary, env, kubeconfig: async () => source, ...(limitMs === undefined ? {} : { limitMs }) });
  return runner.run(['list', '--all'], { cluster: CLUSTER, signal, ...(input === undefined ? {} : { input }) });
}

describe('helm', () => {
  test('gets arguments and a kubeconfig that only it can read, and that is gone afterwards', async () => {
    const { stdout, code } = await withBinary('echo "$1 $2 $3"; cat "$4"; echo; stat -c %a "$4"; echo "$4"', (binary) => run(binary));
    const [args, content, mode, path = ''] = stdout.trim().split('\n');
    expect([args, content, mode, code]).toEqual(['list --all --kubeconfig', 'kind: Config', '600', 0]);
    await expect(access(path)).rejects.toThrow('ENOENT');
  });

  test("is led to the kubeconfig and context of belay.yaml, and somebody's own file stays", async () => {
    const kubeconfig = { kind: 'file' as const, path: '/etc/hostname', context: 'prod' };
    const { stdout } = await withBinary('echo "$@"', (binary) => run(binary, { kubeconfig }));
    expect(stdout.trim()).toBe('list --all --kubeconfig /etc/hostname --kube-context prod');
    await access('/etc/hostname');
  });

  test('reads values from its input and gets none of the secrets around it', async () => {
    const { stdout } = await withBinary('cat; env', (binary) => run(binary, { input: '{"a":1}\n' }));
    expect(stdout).toContain('{"a":1}');
    expect(stdout).toContain('HELM_CACHE_HOME=/cache');
    for (const name of Object.keys(SECRETS)) expect(stdout).not.toContain(name);
  });

  test('a non-zero code is a result, even where the input was not read', async () => {
    const result = await withBinary('echo "Error: no" >&2; exit 3', (binary) => run(binary, { input: 'x'.repeat(200_000) }));
    expect(result).toEqual({ stdout: '', stderr: 'Error: no\n', code: 3 });
  });

  test('that is not installed is said so', async () => {
    await expect(run('/nowhere/helm')).rejects.toThrow(
      'running /nowhere/helm: it is not installed on this worker; put Helm 3.13 or newer on its PATH',
    );
  });

  test('is asked to stop when the activity is cancelled, and keeps its kubeconfig until it has', async () => {
    const stop = new AbortController();
    const mark = join(tmpdir(), `belay-test-${process.pid}-stopped`);
    const script = `trap 'test -r "$4" && echo kept >${mark}; exit 1' TERM\necho up >${mark}.up\nwhile :; do sleep 0.02; done`;
    const running = withBinary(script, (binary) => run(binary, { signal: stop.signal }));
    running.catch(() => {});
    await until(() => access(`${mark}.up`));
    stop.abort();
    await expect(running).rejects.toThrow('running helm: cancelled');
    expect(await readFile(mark, 'utf8')).toBe('kept\n');
    await Promise.all([rm(mark), rm(`${mark}.up`)]);
  });

  test('is not started for an activity that was cancelled before', async () => {
    const mark = join(tmpdir(), `belay-test-${process.pid}-started`);
    await expect(withBinary(`touch ${mark}`, (binary) => run(binary, { signal: AbortSignal.abort() }))).rejects.toThrow(
      'running helm: cancelled',
    );
    await expect(access(mark)).rejects.toThrow('ENOENT');
  });

  test('that is out of time while it stops is out of time, though the activity is cancelled meanwhile', async () => {
    const stop = new AbortController();
    const mark = join(tmpdir(), `belay-test-${process.pid}-late`);
    const script = `trap 'touch ${mark}' TERM\nwhile ! test -e ${mark}.go; do sleep 0.02; done`;
    const running = withBinary(script, (binary) => run(binary, { signal: stop.signal, limitMs: 300 }));
    running.catch(() => {});
    // A shell that is slow to start dies of the signal without a mark.
    await Promise.race([until(() => access(mark)), running.catch(() => {})]);
    stop.abort();
    await Promise.all([writeFile(mark, ''), writeFile(`${mark}.go`, '')]);
    await expect(running).rejects.toThrow('running helm: it did not end within 0.3 s');
    await Promise.all([rm(mark), rm(`${mark}.go`)]);
  });

  test('that does not end is transient, and is ended', async () => {
    await expect(withBinary('exec sleep 30', (binary) => run(binary, { limitMs: 50 }))).rejects.toMatchObject({
      type: 'Unavailable',
      message: 'running helm: it did not end within 0.05 s',
    });
  });
});

async function until(look: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await look();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

test('the kubeconfig is one that clients read', () => {
  const config = new KubeConfig();
  config.loadFromString(kubeconfigText({ name: 'prod', endpoint: 'https://api.example.org', caData: 'Y2E=', token: 'k8s-aws-v1.x' }));
  expect(config.getCurrentCluster()).toMatchObject({ server: 'https://api.example.org', caData: 'Y2E=' });
  expect(config.getCurrentUser()).toMatchObject({ token: 'k8s-aws-v1.x' });
});
