/** An EKS cluster as a context of a kubeconfig names it, for who has no belay.yaml yet. */
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { stringify } from 'yaml';
import { awsClientConfig } from '../../../activities/clients/aws/clients.ts';
import { translateError } from '../../../activities/runtime/translate-errors.ts';
import { ConfigError } from '../../../domain/policy/config/base/errors.ts';
import type { Config } from '../../../domain/policy/config/config.ts';
import { field, messageOf, textField } from '../../../domain/core/unknown.ts';
import { parseConfig } from '../../config/config.ts';
import { proxyOf } from '../../config/proxy.ts';

export interface ContextCluster {
  config: Config;
  cluster: string;
}

/** Of EKS's own name for a cluster in a kubeconfig. */
const ARN = /^arn:aws[\w-]*:eks:([a-z0-9-]+):(\d{12}):cluster\/(.+)$/;

interface Named {
  name: string;
  region: string;
  account?: string;
  profile?: string;
}

/**
 * The cluster of a context whose cluster is the ARN that `aws eks update-kubeconfig` writes, or whose user runs `aws eks get-token`. Throws ConfigError
 * for a file that cannot be read, a context that it does not have, and a cluster that is none of EKS. A profile that the context names is the one that
 * this process uses from now on, where `env` has none.
 */
export async function clusterOfContext(context: string, file: string | undefined, env: NodeJS.ProcessEnv): Promise<ContextCluster> {
  const path = file ?? env['KUBECONFIG']?.split(delimiter).find((each) => each !== '') ?? join(homedir(), '.kube', 'config');
  const { KubeConfig } = await import('@kubernetes/client-node');
  const kubeconfig = new KubeConfig();
  try {
    kubeconfig.loadFromFile(path);
  } catch (error) {
    throw new ConfigError(path, [{ path: '', message: `cannot be read: ${messageOf(error)}; name another with --kubeconfig` }]);
  }
  const found = kubeconfig.getContextObject(context);
  if (found === null) {
    const known = kubeconfig.getContexts().map(({ name }) => name);
    throw new ConfigError(path, [{ path: 'contexts', message: `has no context "${context}", only ${known.join(', ') || 'none'}` }]);
  }
  const named = namedIn(found.cluster, kubeconfig.getUser(found.user)?.exec);
  if (named === undefined) {
    const message = `context "${context}" is of no EKS cluster: its cluster is no ARN of EKS, and its user does not run "aws eks get-token"`;
    throw new ConfigError(path, [{ path: 'contexts', message }]);
  }
  const { name, region, profile } = named;
  if (profile !== undefined) env['AWS_PROFILE'] ??= profile;
  const account = named.account ?? (await callersAccount(region, env));
  const text = stringify({ clusters: { [name]: { region, account, kubernetes: { kubeconfig: path, context } } } });
  return { config: parseConfig(text, path), cluster: name };
}

/** A context that names no account is of the one that its credentials lead to. */
async function callersAccount(region: string, env: NodeJS.ProcessEnv): Promise<string> {
  const sts = new STSClient(awsClientConfig({ ref: { name: '', region, account: '' }, proxy: proxyOf(env) }));
  try {
    return (await sts.send(new GetCallerIdentityCommand({}))).Account ?? '';
  } catch (error) {
    throw translateError(error, 'asking STS whose credentials these are');
  } finally {
    sts.destroy();
  }
}

function namedIn(cluster: string, exec: unknown): Named | undefined {
  const args: unknown = field(exec, 'args');
  const words = Array.isArray(args) ? args.filter((each) => typeof each === 'string') : [];
  const option = (name: string): string | undefined => {
    const at = words.indexOf(name);
    return at >= 0 ? words[at + 1] : words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  };
  const variables: unknown = field(exec, 'env');
  const variable = (name: string): string | undefined =>
    Array.isArray(variables)
      ? textField(
          variables.find((each) => field(each, 'name') === name),
          'value',
        )
      : undefined;
  const profile = option('--profile') ?? variable('AWS_PROFILE');
  const signedIn = profile === undefined ? {} : { profile };
  const [, region, account, name] = ARN.exec(cluster) ?? [];
  if (region !== undefined && account !== undefined && name !== undefined) return { name, region, account, ...signedIn };
  const asked = option('--cluster-name') ?? option('--cluster-id');
  const where = option('--region') ?? variable('AWS_REGION');
  const isEks = words.includes('eks') && words.includes('get-token');
  return isEks && asked !== undefined && where !== undefined ? { name: asked, region: where, ...signedIn } : undefined;
}
