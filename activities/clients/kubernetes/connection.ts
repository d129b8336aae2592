/** A connection to one API server: where it is, whom it trusts, who we are. Made anew on 401 and when its certificate changed. */
import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent, type OutgoingHttpHeaders } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions as TlsOptions } from 'node:tls';
import type { KubeConfig } from '@kubernetes/client-node';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { ClusterSettings, ProxyVariables } from '../../contract/ports.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import type { TokenSource } from '../aws/eks-token.ts';

/** More lists at once than this are no faster: API servers take turns, and answers are parsed one by one. */
const KEPT = { keepAlive: true, maxSockets: 16 };

/** Agent, certificates, and headers with credentials. */
export interface ConnectionOptions extends Omit<RequestOptions, 'headers'> {
  headers: OutgoingHttpHeaders;
}

export interface Connection {
  /** Without a slash at its end. */
  server: string;
  /** Credentials, and the kept connections. `fresh`: a connection that nobody else has, and that ends with the answer. */
  options(fresh?: boolean): Promise<ConnectionOptions>;
  /** Ends the kept connections, those at work when they are done. */
  close(): void;
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
  const { kubeconfig, context, tunnel, proxy } = settings;
  if (kubeconfig !== undefined) return async () => connectByKubeconfig(await loadKubeconfig(kubeconfig, context), proxy);
  return async () => {
    aws.tokens.renew();
    const { endpoint, caData } = await aws.endpoint();
    const tls = { ca: Buffer.from(caData, 'base64'), ...(tunnel === undefined ? {} : identityOf(endpoint)) };
    return connectByToken(tunnel ?? endpoint, tls, aws.tokens, proxy);
  };
}

/** Whoever answers at a tunnel has to be the server at `endpoint`: a token is sent to nobody else. */
function identityOf(endpoint: string): Pick<TlsOptions, 'servername' | 'checkServerIdentity'> {
  const { hostname } = new URL(endpoint);
  return {
    // RFC 6066 has no addresses in this field.
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    checkServerIdentity: (_tunnel, certificate) => checkServerIdentity(hostname, certificate),
  };
}

type ServerTls = Pick<TlsOptions, 'ca' | 'servername' | 'checkServerIdentity'>;

function connectByToken(address: string, tls: ServerTls, tokens: TokenSource, proxy: ProxyVariables | undefined): Connection {
  const through = proxy === undefined ? {} : { proxyEnv: proxy };
  const agent = new Agent({ ...tls, ...KEPT, ...through });
  return {
    server: address.replace(/\/$/, ''),
    options: async (fresh = false) => ({
      ...(fresh ? { agent: freshAgent({ ...tls, ...through }), ...tls } : { agent }),
      headers: { Authorization: `Bearer ${await tokens.token()}` },
    }),
    close: () => endIdle(agent),
  };
}

/** `false` is an agent of Node's own making, which knows no proxy. */
function freshAgent(options: AgentOptions & { proxyEnv?: ProxyVariables }): Agent | false {
  return options.proxyEnv === undefined ? false : new Agent(options);
}

/** Requests under way keep their connections to their answer: a change may have been made already. */
function endIdle(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

async function loadKubeconfig(path: string, context: string | undefined): Promise<KubeConfig> {
  // Loaded only here: it is large, and the usual way needs none.
  const { KubeConfig } = await import('@kubernetes/client-node');
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

/** Certificates, tokens, programs that print one: whatever kubeconfigs know. */
function connectByKubeconfig(config: KubeConfig, proxy: ProxyVariables | undefined): Connection {
  const cluster = config.getCurrentCluster();
  const server = cluster?.server.replace(/\/$/, '') ?? '';
  let kept: HttpAgent | undefined;
  return {
    server,
    async options(fresh = false) {
      const options: ConnectionOptions = { headers: {} };
      await config.applyToHTTPSOptions(options);
      // client-node's own agent goes through the kubeconfig's proxy, but keeps no connection.
      if (cluster?.proxyUrl !== undefined) return options;
      const { ca, cert, key, rejectUnauthorized, servername } = options;
      const through = proxy === undefined ? {} : { proxyEnv: proxy };
      const secured = { ca, cert, key, rejectUnauthorized, servername, ...through };
      if (fresh) return { ...options, agent: server.startsWith('http:') ? false : freshAgent(secured) };
      kept ??= server.startsWith('http:') ? new HttpAgent({ ...KEPT, ...through }) : new Agent({ ...KEPT, ...secured });
      return { headers: options.headers, auth: options.auth, agent: kept };
    },
    close: () => kept && endIdle(kept),
  };
}
