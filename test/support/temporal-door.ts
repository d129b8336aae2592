/** Stands before a Temporal server as Temporal Cloud does: asks for an API key, and lets a key do only what it may. */
import http2, { type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** https://grpc.io/docs/guides/status-codes/ */
const PERMISSION_DENIED = 7;

export interface Door {
  address: string;
  /** How many have been opened to it. */
  connections: number;
  /** From now on another key alone is let in; what waits with the one before is cut off. */
  change(key: string): void;
  /** Paths of methods that are called without being let in, in order. */
  readonly refused: string[];
  close(): Promise<void>;
}

/** `forbids`: methods that nobody may call, by the end of their path. */
export async function openDoor(options: { to: string; key?: string; forbids?: readonly string[] }): Promise<Door> {
  const upstream = http2.connect(`http://${options.to}`);
  upstream.on('error', () => undefined);
  let { key } = options;
  const sessions = new Set<ServerHttp2Session>();
  const server = http2.createServer();
  const door: Door = {
    address: '',
    connections: 0,
    change(next) {
      key = next;
      for (const session of sessions) session.destroy();
    },
    refused: [],
    close: async () => {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  server.on('session', (session) => {
    door.connections += 1;
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const path = headers[':path'] ?? '';
    const forbidden = options.forbids?.some((method) => path.endsWith(`/${method}`)) ?? false;
    const known = key === undefined || headers.authorization === `Bearer ${key}`;
    if (known && !forbidden) return pass(stream, upstream.request(withoutConnection(headers)));
    door.refused.push(path);
    const status = { 'grpc-status': String(PERMISSION_DENIED), 'grpc-message': 'Request unauthorized.' };
    // Once the request is here as a whole: an answer that overtakes it resets the stream, and is not always read as a refusal.
    stream.resume().once('end', () => {
      if (!stream.destroyed) stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  door.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return door;
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { authorization: _authorization, ...rest } = headers;
  return rest;
}

function pass(stream: ServerHttp2Stream, request: http2.ClientHttp2Stream): void {
  let trailers: http2.OutgoingHttpHeaders = {};
  request.on('response', (headers, flags) => {
    if (stream.destroyed) return;
    const ends = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(headers, { endStream: ends, waitForTrailers: !ends });
    if (ends) return;
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    request.pipe(stream);
  });
  request.on('trailers', (received) => void (trailers = received));
  request.on('error', () => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR));
  stream.on('close', () => request.close(http2.constants.NGHTTP2_CANCEL));
  stream.pipe(request);
}
