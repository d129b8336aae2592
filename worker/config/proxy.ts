/** Forward proxies of the environment, as curl, the AWS CLI and Helm read them. */
import type { ProxyVariables } from '../../activities/contract/ports.ts';
import { defined } from '../../domain/core/defined.ts';

/** A proxy cannot reach what is on this machine, or what hands out its credentials. */
const NEVER = ['localhost', '127.0.0.1', '::1', '169.254.169.254', '169.254.170.2', '169.254.170.23'];

const FORM = 'Write http://HOST:PORT or https://HOST:PORT.';

/** A proxy variable of the environment cannot be used as it is. The message names the variable; its value may hold a password, and is not repeated. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  constructor(variable: string, why: string, fix: string) {
    super(`${variable}: ${why}. ${fix}`);
  }
}

/**
 * undefined: there is none. Lower case wins, as with curl. Throws ProxyError rather than let Node leave the proxy out: it ignores other schemes than http://
 * and https:// (parseProxyConfigFromEnv in lib/internal/http.js), and knows no proxies at all where it is older.
 */
export function proxyOf(env: NodeJS.ProcessEnv, nodeVersion: string = process.versions.node): ProxyVariables | undefined {
  const [http, https, no] = [given(env, 'HTTP_PROXY'), given(env, 'HTTPS_PROXY'), given(env, 'NO_PROXY')];
  const first = https ?? http;
  if (first === undefined) return undefined;
  if (!knowsProxies(nodeVersion))
    throw new ProxyError(first.variable, `Node ${nodeVersion} cannot use a proxy`, 'Install Node 22.21 or later, or 24.5 or later.');
  return {
    ...defined({ HTTP_PROXY: addressOf(http), HTTPS_PROXY: addressOf(https) }),
    NO_PROXY: [...(no === undefined ? [] : no.value.split(',').flatMap(withSubdomains)), ...NEVER].join(','),
  };
}

interface Given {
  /** As it is set, in either case. */
  variable: string;
  value: string;
}

function given(env: NodeJS.ProcessEnv, name: string): Given | undefined {
  for (const variable of [name.toLowerCase(), name]) {
    const value = env[variable]?.trim();
    if (value) return { variable, value };
  }
  return undefined;
}

/** `proxyEnv` of Agents: v24.5.0 and v22.21.0, and no 23 (https://nodejs.org/api/http.html#new-agentoptions). */
function knowsProxies(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}

/** Without a scheme it is http://, as _fix_proxy_url of botocore, parseProxy of Go's httpproxy and curl have it. */
function addressOf(proxy: Given | undefined): string | undefined {
  if (proxy === undefined) return undefined;
  const { variable, value } = proxy;
  const [, named, rest = ''] = /^(?:([a-z][a-z\d+.-]*):)?\/\/(.*)$/is.exec(value) ?? ['', undefined, value];
  const scheme = named?.toLowerCase() ?? 'http';
  if (scheme !== 'http' && scheme !== 'https') throw new ProxyError(variable, `${scheme}:// proxies are not supported`, FORM);
  const address = `${scheme}://${rest}`;
  if (!isReadable(address))
    throw new ProxyError(variable, 'its address cannot be read', `${FORM} Encode characters such as #, / or % of a password, # as %23.`);
  return address;
}

/**
 * Node decodes user and password when it makes an agent, and names both in what it says of an address that it cannot read. A password with a slash would be
 * read as a path, and its user as the host.
 */
function isReadable(address: string): boolean {
  if (/^https?:\/\/[^@]*[/?#].*@/s.test(address)) return false;
  try {
    const { username, password } = new URL(address);
    decodeURIComponent(username);
    decodeURIComponent(password);
    return true;
  } catch {
    return false;
  }
}

/** To Node a name is that host alone, and one with a dot in front its subdomains as well; to curl, botocore and Go both are both. */
function withSubdomains(entry: string): string[] {
  const name = entry.trim();
  return isHostName(name) ? [name, `.${name}`] : [name];
}

/** No address or range of such, which have no letter, a colon or a slash; nothing with a port, a dot in front or an asterisk. */
const isHostName = (name: string): boolean => /^[a-z\d][\w.-]*$/i.test(name) && /[a-z]/i.test(name);
