/**
 * One exchange with an API server over Node's own HTTP client: @kubernetes/client-node's carries every type of Kubernetes with it, 900 modules
 * that take 70 MB and a third of a second to load.
 */
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ConnectionOptions } from './connection.ts';
import { linesOfStream, textOfStream } from '../../runtime/text-of-stream.ts';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface HttpExchange {
  method: HttpMethod;
  url: string;
  options: ConnectionOptions;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** Is given each line of an answer of 200, whose text is then empty: for what is too large to be held. */
  onLine?: (line: string) => void;
  /** Is given the beginning of the text of an answer of 200, before the rest has come. */
  onStart?: (text: string) => void;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** An answer that is a refusal, as translateError knows it: its own message would contain headers and body. */
export class KubernetesRefusal extends Error {
  override readonly name = 'KubernetesRefusal';
  readonly code: number;
  readonly body: string;
  readonly headers: Record<string, string>;
  constructor(code: number, body: string, headers: Record<string, string> = {}) {
    super(`Kubernetes answered ${code}`);
    this.code = code;
    this.body = body;
    this.headers = headers;
  }
}

/** Rejects with the signal's reason where it ends the exchange, else with the socket's error. Any status is an answer. */
export async function exchangeHttp({ method, url, options, headers, body, signal, onLine, onStart }: HttpExchange): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const send = url.startsWith('http:') ? requestHttp : requestHttps;
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  // Servers compress what is large: pages of a list are a tenth of their size on the way.
  const all = { ...options.headers, 'User-Agent': 'belay', 'Accept-Encoding': 'gzip', ...headers, ...length };
  try {
    const request = send(url, { ...options, method, headers: all, signal });
    request.end(body);
    const response = await answerTo(request);
    const { statusCode: status = 0, headers: answered } = response;
    if (status !== 200) return { status, headers: answered, text: await textOfStream(plain(response)) };
    if (onLine === undefined) return { status, headers: answered, text: await textOfStream(plain(response), onStart) };
    await linesOfStream(plain(response), onLine);
    return { status, headers: answered, text: '' };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // On, not once: an error after the answer has begun is the body's to report.
    request.on('error', reject);
  });
}

function plain(response: IncomingMessage): Readable {
  const zipped = response.headers['content-encoding'] === 'gzip';
  // An error of the response is the end of the pipeline, and so of what reads it.
  return zipped ? pipeline(response, createGunzip(), () => undefined) : response;
}
