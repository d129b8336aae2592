/**
 * One HTTP GET inside a pod, through pods/portforward: it arrives on the pod's loopback, where programs answer what they keep from strangers. Framing:
 * k8s.io/kubelet, pkg/cri/streaming/portforward/websocket.go (v4.channel.k8s.io): the first byte of a message is its channel, data 0 and errors 1; the
 * first message of each carries the port in two bytes.
 */
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import type { HttpAnswer } from './http.ts';
import type { ConnectionOptions } from './connection.ts';
import { textOfStream } from '../../runtime/text-of-stream.ts';

const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERRORS = 1;
const PORT_BYTES = 2;

export interface ForwardedGet {
  /** Of pods/portforward, with the port. */
  url: string;
  options: ConnectionOptions;
  /** In the pod: "/debug/syncz". */
  path: string;
  signal: AbortSignal;
  /** Longest answer. */
  maxBytes: number;
}

/** 200 with all that the pod sent, its own status line too; any other status is the API server's refusal. */
export async function getThroughPort({ url, options, path, signal, maxBytes }: ForwardedGet): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const { headers, ...rest } = options;
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const socket = new WebSocket(url.replace(/^http/, 'ws'), [PROTOCOL], { ...rest, headers: { ...given, 'User-Agent': 'belay' } });
  const stop = (): void => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await exchange(socket, path, maxBytes);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.terminate();
  }
}

async function exchange(socket: WebSocket, path: string, maxBytes: number): Promise<HttpAnswer> {
  return await new Promise((resolve, reject) => {
    const seen = new Map<number, Buffer[]>();
    let size = 0;
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      textOfStream(response).then((text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }), reject);
    });
    // HTTP/1.0: the server ends the connection with its answer, and sends it in one piece.
    socket.on('open', () => socket.send(framed(`GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n`)));
    socket.on('message', (data) => {
      const message = Buffer.concat([data].flat().map((part) => new Uint8Array(part)));
      size += message.length;
      if (size > maxBytes) return reject(new Error(`the answer is longer than ${maxBytes} bytes`));
      const channel = message[0] ?? ERRORS;
      seen.set(channel, [...(seen.get(channel) ?? []), message.subarray(1)]);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const error = textOf(seen.get(ERRORS));
      if (error !== '') return reject(new Error(error.slice(0, 200)));
      resolve({ status: 200, headers: {}, text: textOf(seen.get(DATA)) });
    });
  });
}

const framed = (text: string): Buffer => Buffer.concat([Buffer.from([DATA]), Buffer.from(text)]);

const textOf = (messages: readonly Buffer[] = []): string => Buffer.concat(messages).subarray(PORT_BYTES).toString('utf8');
