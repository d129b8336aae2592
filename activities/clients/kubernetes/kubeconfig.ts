/** The kubeconfig of one helm call: the one that belay.yaml names, or a private file that lives as long as the call. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `text`: with a token that lives as long as a helm call. `file`: somebody's own, which may name plugins and files beside it. */
export type HelmKubeconfig = { kind: 'text'; text: string } | { kind: 'file'; path: string; context?: string };

const PREFIX = 'belay-helm-';
/** Tokens in such files live for 15 minutes: a folder this old belongs to a worker that was killed. */
const LEFT_AFTER_MS = 3_600_000;

/** A kubeconfig (JSON is YAML) for one cluster and one token. */
export function kubeconfigText(cluster: { name: string; endpoint: string; caData: string; token: string }): string {
  const { name, endpoint, caData, token } = cluster;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: endpoint, 'certificate-authority-data': caData } }],
    users: [{ name: 'belay', user: { token } }],
    contexts: [{ name, context: { cluster: name, user: 'belay' } }],
    'current-context': name,
  });
}

/** Runs `work` with helm's arguments for this kubeconfig. A private file is deleted when `work` is over, however it ends. */
export async function withKubeconfig<T>(kubeconfig: HelmKubeconfig, work: (args: string[]) => Promise<T>): Promise<T> {
  if (kubeconfig.kind === 'file') {
    const { path, context } = kubeconfig;
    return await work(['--kubeconfig', path, ...(context === undefined ? [] : ['--kube-context', context])]);
  }
  await removeLeft();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  try {
    const path = join(folder, 'kubeconfig');
    await writeFile(path, kubeconfig.text, { mode: 0o600 });
    return await work(['--kubeconfig', path]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What workers that were killed have left; others' folders cannot be removed, and need not be. */
async function removeLeft(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > LEFT_AFTER_MS) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
