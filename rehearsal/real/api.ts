/** A small client of a real API server, for those parts of the rehearsal that play people, EKS and EC2. */
import { Agent, request as httpsRequest } from 'node:https';
import { createInterface } from 'node:readline';
import type { KubeObject } from '../kubernetes/store.ts';

export interface ApiAccess {
  /** https://127.0.0.1:PORT */
  url: string;
  /** PEM of the authority. */
  ca: string;
  token: string;
}

/** The server's own refusal. `code` 0: no connection. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

export type PatchKind = 'merge' | 'apply';

const CONTENT_TYPES: Record<PatchKind, string> = { merge: 'application/merge-patch+json', apply: 'application/apply-patch+yaml' };
const FIELD_MANAGER = 'rehearsal';
const TIMEOUT_MS = 30_000;

export class Api {
  readonly #access: ApiAccess;
  readonly #agent: Agent;

  constructor(access: ApiAccess) {
    this.#access = access;
    this.#agent = new Agent({ ca: access.ca, keepAlive: true, maxSockets: 16 });
  }

  get(path: string): Promise<KubeObject> {
    return this.#send('GET', path);
  }

  post(path: string, body: object): Promise<KubeObject> {
    return this.#send('POST', path, body, 'application/json');
  }

  /** `apply` is forced: nobody else's fields matter in a rehearsal. */
  patch(path: string, body: object, kind: PatchKind = 'merge'): Promise<KubeObject> {
    const query = kind === 'apply' ? `?fieldManager=${FIELD_MANAGER}&force=true` : '';
    return this.#send('PATCH', path + query, body, CONTENT_TYPES[kind]);
  }

  delete(path: string, body?: object): Promise<KubeObject> {
    return this.#send('DELETE', path, body, body === undefined ? undefined : 'application/json');
  }

  /** Text of paths such as /readyz. Throws ApiError for anything but 200. */
  async text(path: string): Promise<string> {
    return await this.#raw('GET', path);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(method: string, path: string, body?: object, contentType?: string): Promise<KubeObject> {
    return JSON.parse(await this.#raw(method, path, body, contentType));
  }

  #raw(method: string, path: string, body?: object, contentType?: string): Promise<string> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = httpsRequest(this.#access.url + path, {
        method,
        agent: this.#agent,
        timeout: TIMEOUT_MS,
        headers: {
          Authorization: `Bearer ${this.#access.token}`,
          Accept: 'application/json',
          ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
          // Without it Node sends the body of a DELETE unframed, and the server takes it for the next request.
          ...(text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) }),
        },
      });
      request.once('timeout', () => request.destroy(new Error('no answer in time')));
      request.once('error', (error) => reject(new ApiError(0, 'Unreachable', error.message)));
      request.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', (error) => reject(new ApiError(0, 'Unreachable', error.message)));
        response.once('end', () => {
          const answer = Buffer.concat(chunks).toString('utf8');
          const code = response.statusCode ?? 0;
          if (code < 300) resolve(answer);
          else reject(refusal(code, answer));
        });
      });
      request.end(text);
    });
  }

  /** Calls `each` for every event until the server ends the stream. Throws ApiError; code 410: list again. */
  async watch(path: string, each: (event: { type: string; object: KubeObject }) => void, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: Error): void => reject(new ApiError(0, 'Unreachable', error.message));
      const request = httpsRequest(this.#access.url + path, {
        ca: this.#access.ca,
        agent: false,
        signal,
        headers: { Authorization: `Bearer ${this.#access.token}`, Accept: 'application/json' },
      });
      request.once('error', fail);
      request.once('response', (response) => {
        const code = response.statusCode ?? 0;
        response.once('error', fail);
        const lines = createInterface({ input: response });
        lines.on('line', (line) => {
          if (code >= 300) return reject(refusal(code, line));
          const event: { type: string; object: KubeObject } = JSON.parse(line);
          if (event.type === 'ERROR') reject(refusal(Number(event.object['code']), JSON.stringify(event.object)));
          else each(event);
        });
        lines.on('error', fail);
        lines.once('close', () => resolve());
      });
      request.end();
    });
  }
}

function refusal(code: number, text: string): ApiError {
  try {
    const status: { reason?: string; message?: string } = JSON.parse(text);
    return new ApiError(code, status.reason ?? 'Unknown', status.message ?? text);
  } catch {
    return new ApiError(code, 'Unknown', text.slice(0, 300));
  }
}
