/** What is read of kubeconfigs: contexts with their cluster and the program that makes their token. Certificates and tokens are not looked at. */
import { field, isRecord, textField } from '../../core/unknown.ts';

export interface KubeContext {
  name: string;
  /** As the file calls it. */
  cluster: string;
  server?: string;
  exec?: KubeExec;
}

/** The program that kubectl runs for a token. Belay never runs it: its arguments say which cluster it is for. */
export interface KubeExec {
  /** Without its folders. */
  command: string;
  args: string[];
  env: Readonly<Record<string, string>>;
}

export interface Kubeconfig {
  /** The current context. */
  current?: string;
  contexts: KubeContext[];
}

/**
 * Several files as one, in the order of KUBECONFIG: the first to set a value wins.
 * https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
 */
export function mergeKubeconfigs(documents: readonly unknown[]): Kubeconfig {
  const clusters = named(documents, 'clusters', 'cluster');
  const users = named(documents, 'users', 'user');
  const contexts = [...named(documents, 'contexts', 'context')].map(([name, context]): KubeContext => {
    const cluster = textField(context, 'cluster') ?? '';
    const server = textField(clusters.get(cluster), 'server');
    const exec = execOf(field(users.get(textField(context, 'user') ?? ''), 'exec'));
    return { name, cluster, ...(server === undefined ? {} : { server }), ...(exec === undefined ? {} : { exec }) };
  });
  const current = documents.map((document) => textField(document, 'current-context')).find((name) => name !== undefined);
  return { ...(current === undefined ? {} : { current }), contexts };
}

/** Entries of a list of `{ name, [kind]: … }`, by name. */
function named(documents: readonly unknown[], list: string, kind: string): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const document of documents) {
    const entries = field(document, list);
    for (const entry of Array.isArray(entries) ? entries : []) {
      const name = textField(entry, 'name');
      if (name !== undefined && !found.has(name)) found.set(name, field(entry, kind));
    }
  }
  return found;
}

function execOf(exec: unknown): KubeExec | undefined {
  if (!isRecord(exec)) return undefined;
  const args = exec['args'];
  const env = exec['env'];
  const variables = (Array.isArray(env) ? env : []).flatMap((each): [string, string][] => {
    const [name, value] = [textField(each, 'name'), textField(each, 'value')];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
  return {
    command: (textField(exec, 'command') ?? '').replace(/^.*[\\/]/, '').replace(/\.(exe|cmd)$/i, ''),
    args: (Array.isArray(args) ? args : []).filter((each) => typeof each === 'string'),
    env: Object.fromEntries(variables),
  };
}
