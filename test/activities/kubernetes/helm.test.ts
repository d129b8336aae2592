/** The default runner: a real child process, a private kubeconfig that goes away, cancellation. */
import { describe, expect, test } from '@jest/globals';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHelmRunner, kubeconfigText } from '../../../activities/kubernetes/index.ts';
import { KubeConfig } from '@kubernetes/client-node';
import { CLUSTER } from '../../support/facts.ts';

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

const run = (binary: string, signal = new AbortController().signal) =>
  createHelmRunner({ binary, kubeconfig: async () => 'kind: Config' }).run(['list', '--all'], { cluster: CLUSTER, signal });

describe('helm', () => {
  test('gets arguments and a kubeconfig that only it can read, and that is gone afterwards', async () => {
    const { stdout, code } = await withBinary('echo "$1 $2 $3"; cat "$4"; echo; stat -c %a "$4"; echo "$4"', run);
    const [args, content, mode, path = ''] = stdout.trim().split('\n');
    expect([args, content, mode, code]).toEqual(['list --all --kubeconfig', 'kind: Config', '600', 0]);
    await expect(access(path)).rejects.toThrow('ENOENT');
  });

  test('a non-zero code is a result', async () => {
    expect(await withBinary('echo "Error: no" >&2; exit 3', run)).toEqual({ stdout: '', stderr: 'Error: no\n', code: 3 });
  });

  test('that is not installed is said so', async () => {
    await expect(run('/nowhere/helm')).rejects.toThrow('running /nowhere/helm: it is not installed on this worker');
  });

  test('ends when the activity is cancelled', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 30);
    await expect(withBinary('exec sleep 30', (binary) => run(binary, stop.signal))).rejects.toThrow('aborted');
  });
});

test('the kubeconfig is one that clients read', () => {
  const config = new KubeConfig();
  config.loadFromString(kubeconfigText({ name: 'prod', endpoint: 'https://api.example.org', caData: 'Y2E=', token: 'k8s-aws-v1.x' }));
  expect(config.getCurrentCluster()).toMatchObject({ server: 'https://api.example.org', caData: 'Y2E=' });
  expect(config.getCurrentUser()).toMatchObject({ token: 'k8s-aws-v1.x' });
});
