/** Which EKS cluster a context of a kubeconfig is of, by what `aws eks update-kubeconfig`, eksctl and aws-iam-authenticator write. */
import { defined } from '../../core/defined.ts';
import type { KubeContext, KubeExec } from './contexts.ts';

export interface EksContext {
  context: string;
  name: string;
  region: string;
  account?: string;
  /** Of the shared AWS files. */
  profile?: string;
  /** Role to assume. */
  role?: string;
  server?: string;
}

/** EKS's own name for a cluster. */
const ARN = /^arn:aws[\w-]*:eks:([a-z0-9-]+):(\d{12}):cluster\/([0-9A-Za-z][\w-]{0,99})$/;

/** NAME.REGION.eksctl.io: `ClusterMeta.String` of github.com/eksctl-io/eksctl, pkg/apis/eksctl.io/v1alpha5/types.go. */
const EKSCTL = /^([0-9A-Za-z][\w-]{0,99})\.([a-z0-9-]+)\.eksctl\.io$/;

/** HASH.gr7.REGION.eks.amazonaws.com, or HASH.eks-cluster.REGION.api.aws with IPv6: docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html. */
const HOST =
  /\.(?:(?<region>[a-z0-9-]+)\.eks\.amazonaws\.com(?:\.cn)?|eks-cluster\.(?<dual>[a-z0-9-]+)\.api\.(?:aws|amazonwebservices\.com\.cn))$/;

/** Programs that take `token -i CLUSTER`; the second is the first's old name. */
const AUTHENTICATORS: readonly string[] = ['aws-iam-authenticator', 'heptio-authenticator-aws'];

/** undefined: it is of no EKS cluster, or does not say of which. */
export function eksClusterOf({ name: context, cluster, server, exec }: KubeContext): EksContext | undefined {
  const asked = exec === undefined ? {} : askedBy(exec);
  const { profile, role } = asked;
  const found = (name: string, region: string, account?: string): EksContext => ({
    context,
    name,
    region,
    ...defined({ account, profile, role, server }),
  });
  // `aws eks update-kubeconfig --alias` renames the context and leaves its cluster.
  for (const each of [cluster, context]) {
    const [, region, account, name] = ARN.exec(each) ?? [];
    if (region !== undefined && name !== undefined) return found(name, region, account);
  }
  // The context is USER@NAME.REGION.eksctl.io.
  for (const each of [cluster, context.replace(/^[^@]*@/, '')]) {
    const [, name, region] = EKSCTL.exec(each) ?? [];
    if (name !== undefined && region !== undefined) return found(name, region);
  }
  const region = asked.region ?? regionOfHost(server);
  return asked.name === undefined || region === undefined ? undefined : found(asked.name, region);
}

interface Asked {
  name?: string;
  region?: string;
  profile?: string;
  role?: string;
}

/** What the program is told. Empty: it is none of EKS's. */
function askedBy({ command, args, env }: KubeExec): Asked {
  const option = (...names: string[]): string | undefined => {
    for (const name of names) {
      const at = args.indexOf(name);
      const value = at >= 0 ? args[at + 1] : args.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
      if (value !== undefined && value !== '') return value;
    }
    return undefined;
  };
  const where = {
    region: option('--region') ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'],
    profile: option('--profile') ?? env['AWS_PROFILE'],
  };
  // Whatever wraps the AWS CLI (aws-vault, granted) has its words in the arguments.
  if (args.includes('eks') && args.includes('get-token'))
    return defined({ ...where, name: option('--cluster-name', '--cluster-id'), role: option('--role-arn', '--role') });
  if (AUTHENTICATORS.includes(command) && args.includes('token'))
    return defined({ ...where, name: option('-i', '--cluster-id'), role: option('-r', '--role') });
  return {};
}

function regionOfHost(server: string | undefined): string | undefined {
  const { region, dual } = HOST.exec(hostOf(server) ?? '')?.groups ?? {};
  return region ?? dual;
}

const hostOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;

/**
 * Where a tunnel to the API server begins: the server of a context that is neither EKS's own endpoint nor another name of EKS. Only TLS, since a token goes
 * through it.
 */
export function tunnelTo(endpoint: string, server: string | undefined): string | undefined {
  const host = hostOf(server);
  if (server === undefined || host === undefined || !server.startsWith('https://') || HOST.test(host)) return undefined;
  return new URL(server).host === (URL.canParse(endpoint) ? new URL(endpoint).host : '') ? undefined : server.replace(/\/$/, '');
}

/**
 * The server of a context is an endpoint of EKS, and not this one: its cluster is in another account, or was created again since. A cluster has endpoints
 * of two forms, so that one of the other form says nothing.
 */
export function isOtherCluster(endpoint: string, server: string | undefined): boolean {
  const [one, other] = [hostOf(endpoint), hostOf(server)].map((host) => HOST.exec(host ?? ''));
  if (!one || !other || (one.groups?.['dual'] === undefined) !== (other.groups?.['dual'] === undefined)) return false;
  return one.input !== other.input;
}
