/** Keys of a Temporal that asks who it is: signed tokens, and the public key where the server looks for it. */
import { createServer, type Server } from 'node:http';
import { generateKeyPairSync, sign } from 'node:crypto';
import { listen } from '../../../rehearsal/world/core/loopback.ts';
import type { Variables } from './temporal.ts';

const KEY_ID = 'belay-test';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export interface Keys {
  /** Of the server's environment. Its own services go past the check by a frontend of their own. */
  server: Variables;
  /** A key with permissions such as `default:write`, for so many seconds. */
  keyFor(permissions: readonly string[], seconds?: number): string;
  close(): Promise<void>;
}

/** The server reads the public key over plain HTTP when it starts. https://docs.temporal.io/self-hosted-guide/security#authorization */
export async function serveKeys(): Promise<Keys> {
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' };
  const server: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  const port = await listen(server);
  return {
    server: {
      TEMPORAL_AUTH_AUTHORIZER: 'default',
      TEMPORAL_AUTH_CLAIM_MAPPER: 'default',
      TEMPORAL_JWT_KEY_SOURCE1: `http://127.0.0.1:${port}/jwks.json`,
      USE_INTERNAL_FRONTEND: '1',
      TEMPORAL_SERVICES: 'frontend,internal-frontend,history,matching,worker',
    },
    keyFor: (permissions, seconds = 3_600) => token({ sub: 'belay', permissions, exp: Math.floor(Date.now() / 1000) + seconds }),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** JWT, RS256: https://www.rfc-editor.org/rfc/rfc7519 */
function token(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${part(claims)}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
}
