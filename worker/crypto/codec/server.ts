/**
 * A codec server: shows in Temporal UI, and to `temporal`, what BELAY_CODEC_KEYS has encrypted. Its protocol is Temporal's: POST /decode, payloads as
 * JSON; it does not encode (docs.temporal.io/production-deployment/data-encryption). Whoever can call it can read the history, so it lets in few.
 */
import proto from '@temporalio/proto';
import express, { type NextFunction, type Request, type Response } from 'express';
import { messageOf } from '../../../domain/core/unknown.ts';
import { EncryptionCodec } from './encryption-codec.ts';
import { type Door, listenBehind, refusalAtDoor } from './http-door.ts';
import { type CodecKey, CodecKeysError } from './keys.ts';

const { Payloads } = proto.temporal.api.common.v1;

/** A page of a long history. */
const MAX_BODY = '32mb';

export interface CodecServerOptions extends Door {
  keys: readonly CodecKey[];
  /** Only payloads of this namespace. */
  namespace: string;
  /** Address of Temporal UI, such as http://localhost:8233: no other page may ask. */
  origin: string;
  log: (line: string) => void;
}

/** Listens. Throws where there is no key, or nothing that would keep others out. */
export async function startCodecServer(options: CodecServerOptions): Promise<{ port: number; close(): Promise<void> }> {
  const { keys, host } = options;
  if (keys.length === 0) throw new CodecKeysError('it is not set, so there is nothing to decode with');
  const open = `Others could read every history through ${host}. Listen on 127.0.0.1, or set BELAY_CODEC_SERVER_TOKEN to what they have to send.`;
  return await listenBehind(createApp(options), options, open);
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
function refusal({ origin, namespace, ...door }: CodecServerOptions, { headers }: Request): string | undefined {
  if (headers.origin !== undefined && headers.origin !== origin) return `pages of ${headers.origin} may not ask; Temporal UI is ${origin}`;
  const atDoor = refusalAtDoor(door, headers);
  if (atDoor !== undefined) return atDoor;
  // `temporal` sends an empty one where it is not told which, and means `default`.
  const asked = headers['x-namespace'] === '' ? 'default' : headers['x-namespace'];
  return asked === namespace ? undefined : `only namespace ${namespace} is decoded here`;
}
