/**
 * A codec server: shows in Temporal UI, and to `temporal`, what BELAY_CODEC_KEYS has encrypted. Its protocol is Temporal's: POST /decode, payloads as
 * JSON; it does not encode (docs.temporal.io/production-deployment/data-encryption). Whoever can call it can read the history, so it lets in few.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import { ValueError } from '@temporalio/common';
import proto from '@temporalio/proto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { messageOf } from '../../domain/core/unknown.ts';
import { EncryptionCodec } from './encryption-codec.ts';
import { type CodecKey, CodecKeysError } from './keys.ts';

const { Payloads } = proto.temporal.api.common.v1;

/** A page of a long history. */
const MAX_BODY = '32mb';
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

export interface CodecServerOptions {
  keys: readonly CodecKey[];
  /** Only payloads of this namespace. */
  namespace: string;
  /** Address of Temporal UI, such as http://localhost:8233: no other page may ask. */
  origin: string;
  host: string;
  /** 0: a free one. */
  port: number;
  /** Asked for as `Authorization: Bearer …`; without one only this machine is let in. */
  token?: string;
  log: (line: string) => void;
}

/** Listens. Throws where there is no key, or nothing that would keep others out. */
export async function startCodecServer(options: CodecServerOptions): Promise<{ port: number; close(): Promise<void> }> {
  const { keys, host, port, token } = options;
  if (keys.length === 0) throw new CodecKeysError('it is not set, so there is nothing to decode with');
  if (token === undefined && !LOOPBACK.test(host))
    throw new ValueError(
      `Others could read every history through ${host}. Listen on 127.0.0.1, or set BELAY_CODEC_SERVER_TOKEN to what they have to send.`,
    );
  const server = createApp(options).listen(port, host);
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error) => reject(new Error(`Cannot listen on ${host}, port ${port}: ${messageOf(error)}`, { cause: error })));
  });
  return { port: portOf(server), close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function createApp(options: CodecServerOptions): express.Express {
  const codec = new EncryptionCodec(options.keys, { onRefusal: 'show' });
  const app = express().disable('x-powered-by');
  app.use((request, response, next) => allowPage(options, request, response, next));
  app.use((request, response, next) => {
    const why = refusal(options, request);
    if (why === undefined) return next();
    options.log(`refused ${request.method} ${request.path} from ${request.socket.remoteAddress ?? '?'}: ${why}`);
    response.status(403).json({ message: why });
  });
  app.use(express.json({ limit: MAX_BODY }));
  app.post('/decode', async (request: Request, response: Response) => {
    const { payloads } = Payloads.fromObject(Object(request.body));
    response.json(Payloads.create({ payloads: await codec.decode(payloads) }).toJSON());
  });
  // Whoever could have something encrypted here could write to every run.
  app.post('/encode', (_request: Request, response: Response) => {
    response.status(403).json({ message: 'This codec server shows what Belay has written, and writes nothing: use Slack or belay' });
  });
  // Express knows it by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(400).json({ message: messageOf(error) });
  });
  return app;
}

/** CORS: the one page that may ask. */
function allowPage({ origin }: CodecServerOptions, request: Request, response: Response, next: NextFunction): void {
  if (request.headers.origin !== origin) return next();
  response.set({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': 'content-type, x-namespace, authorization',
    'access-control-allow-credentials': 'true',
    vary: 'origin',
  });
  if (request.method === 'OPTIONS') response.status(204).end();
  else next();
}

/** Why somebody is kept out. */
function refusal({ origin, namespace, token }: CodecServerOptions, { headers }: Request): string | undefined {
  if (headers.origin !== undefined && headers.origin !== origin) return `pages of ${headers.origin} may not ask; Temporal UI is ${origin}`;
  if (token === undefined && !LOOPBACK.test(headers.host ?? '')) return 'it was asked by a name that is not this machine’s own';
  if (token !== undefined && !isSame(headers.authorization ?? '', `Bearer ${token}`)) return 'the token is missing or another one';
  // `temporal` sends an empty one where it is not told which, and means `default`.
  const asked = headers['x-namespace'] === '' ? 'default' : headers['x-namespace'];
  return asked === namespace ? undefined : `only namespace ${namespace} is decoded here`;
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
