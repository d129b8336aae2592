/** A connection to one API server: where it is, whom it trusts, who we are. Made anew on 401 and when its certificate changed. */
import { readFile } from 'node:fs/promises';
import { type HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node';
import { messageOf } from '../../domain/unknown.ts';
import type { ClusterSettings } from '../ports.ts';
import { failureOf } from '../translate-errors.ts';
import type { TokenSource } from './eks-token.ts';

/** client-node's dispatcher type, without naming undici. */
export type Dispatcher = NonNullable<ReturnType<RequestContext['getDispatcher']>>;

export interface Connection {
  /** A request with credentials, on the kept connections. `fresh`: on a new connection that the caller closes. */
  request(method: HttpMethod, pathAndQuery: string, fresh?: boolean): Promise<RequestContext>;
  /** Ends the kept connections. */
  close(): Promise<void>;
}

/** Opens connections; called again for a new one after 401. */
export type ConnectionFactory = () => Promise<Connection>;

/** Endpoint and certificate authority of a cluster, as DescribeCluster gives them. */
export interface ClusterEndpoint {
  endpoint: string;
  caData: string;
}

/** By kubeconfig where the settings name one, else by DescribeCluster and a token made from AWS credentials. */
export function connectionFactory(
  settings: ClusterSettings,
  aws: { endpoint(): Promise<ClusterEndpoint>; tokens: TokenSource },
): ConnectionFactory {
  const { kubeconfig, context } = settings;
  if (kubeconfig !== undefined) return async () => openConnection(await loadKubeconfig(kubeconfig, context), undefined);
  return async () => {
    aws.tokens.renew();
    const { endpoint, caData } = await aws.endpoint();
    const config = new KubeConfig();
    const name = settings.ref.name;
    config.loadFromClusterAndUser({ name, server: endpoint, caData, skipTLSVerify: false }, { name });
    return openConnection(config, aws.tokens);
  };
}

async function loadKubeconfig(path: string, context: string | undefined): Promise<KubeConfig> {
  const config = new KubeConfig();
  try {
    // Read first: loadFromFile reports a missing file without saying which.
    await readFile(path);
    config.loadFromFile(path);
  } catch (error) {
    throw failureOf('Configuration', `reading kubeconfig ${path}: ${messageOf(error)}; correct kubernetes.kubeconfig in belay.yaml`, {
      cause: error,
    });
  }
  if (context !== undefined) {
    if (config.getContextObject(context) === null) {
      const known = config.getContexts().map((one) => one.name);
      throw failureOf(
        'Configuration',
        `reading kubeconfig ${path}: it has no context "${context}", only ${known.join(', ') || 'none'}; correct kubernetes.context in belay.yaml`,
      );
    }
    config.setCurrentContext(context);
  }
  if (config.getCurrentCluster() === null) {
    throw failureOf('Configuration', `reading kubeconfig ${path}: no current context is set; name one as kubernetes.context in belay.yaml`);
  }
  return config;
}

function openConnection(config: KubeConfig, tokens: TokenSource | undefined): Connection {
  const server = config.getCurrentCluster()?.server.replace(/\/$/, '') ?? '';
  let kept: Dispatcher | undefined;
  return {
    async request(method, pathAndQuery, fresh = false) {
      const request = new RequestContext(`${server}${pathAndQuery}`, method);
      // Sets headers, and a dispatcher of its own each time: that one is kept, or used once where a fresh connection is wanted.
      await config.applySecurityAuthentication(request);
      if (tokens !== undefined) request.setHeaderParam('Authorization', `Bearer ${await tokens.token()}`);
      const own = request.getDispatcher();
      if (!fresh) {
        kept ??= own;
        if (kept !== undefined) request.setDispatcher(kept);
      }
      return request;
    },
    async close() {
      await kept?.close();
      kept = undefined;
    },
  };
}
