/** Forward proxies of the environment, as curl, the AWS CLI and Helm read them. */
import type { ProxyVariables } from '../../activities/contract/ports.ts';
import { defined } from '../../domain/core/defined.ts';

/** A proxy cannot reach what is on this machine, or what hands out its credentials. */
const NEVER = ['localhost', '127.0.0.1', '::1', '169.254.169.254', '169.254.170.2', '169.254.170.23'];

/** undefined: there is none. Lower case wins, as with curl. */
export function proxyOf(env: NodeJS.ProcessEnv): ProxyVariables | undefined {
  const read = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const [http, https, no] = [read('HTTP_PROXY'), read('HTTPS_PROXY'), read('NO_PROXY')];
  if (http === undefined && https === undefined) return undefined;
  return {
    ...defined({ HTTP_PROXY: http, HTTPS_PROXY: https }),
    NO_PROXY: [...(no === undefined ? [] : [no]), ...NEVER].join(','),
  };
}
