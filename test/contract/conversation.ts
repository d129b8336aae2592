/** One case's talk with a server: every request and its answer is written down, without what differs from run to run. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Normaliser } from './normalise.ts';
import { type ContractServer, TOKENS } from './server.ts';
import { PATIENCE } from '../support/eventually.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are open JSON
export type Json = any;

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Parsed, or undefined where the answer is no JSON. */
  body: Json;
}

export interface RequestOptions {
  /** Objects are sent as JSON, text as it is. */
  body?: unknown;
  /** Content-Type; JSON by default. */
  type?: string;
  accept?: string;
  /** User-Agent; none by default. */
  agent?: string;
  /** Bearer token; null sends none. */
  token?: string | null;
  /** Response headers that belong to the answer. */
  headers?: string[];
  /** Keeps only this part of the body in the transcript. */
  pick?: (body: Json) => unknown;
  /** Is part of the set-up: not written down. */
  quiet?: boolean;
  /** Of a quiet request: what is refused does not matter either. */
  lenient?: boolean;
}

export const PATCH = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export class Conversation {
  readonly server: ContractServer;
  /** What was asked and answered, in order. */
  readonly transcript: unknown[] = [];
  readonly normaliser: Normaliser;
  readonly #agent: Agent;
  #home: string | undefined;

  constructor(server: ContractServer) {
    this.server = server;
    this.normaliser = new Normaliser(server.url, server.minor);
    this.#agent = new Agent({ ca: Buffer.from(server.caData, 'base64'), keepAlive: true });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    if (this.#home) await rm(this.#home, { recursive: true });
  }

  get = (path: string, options?: RequestOptions) => this.request('GET', path, options);
  post = (path: string, body: unknown, options?: RequestOptions) => this.request('POST', path, { ...options, body });
  put = (path: string, body: unknown, options?: RequestOptions) => this.request('PUT', path, { ...options, body });
  delete = (path: string, body?: unknown, options?: RequestOptions) =>
    this.request('DELETE', path, { ...options, ...(body === undefined ? {} : { body }) });
  patch = (path: string, type: keyof typeof PATCH, body: unknown, options?: RequestOptions) =>
    this.request('PATCH', path, { ...options, body, type: PATCH[type] });
  /** As kubectl asks for what it prints. */
  table = (path: string, options?: RequestOptions) => this.request('GET', path, { ...options, accept: TABLE });

  /** Sends one request and writes down what came back. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const answer = await this.#send(method, path, options);
    if (options.quiet === true) {
      if (answer.status >= 300 && options.lenient !== true) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      return answer;
    }
    const picked = answer.body === undefined ? answer.text : options.pick ? options.pick(answer.body) : answer.body;
    const shown = Object.fromEntries((options.headers ?? []).map((name) => [name, answer.headers[name] ?? null]));
    this.transcript.push(
      this.normaliser.clean({
        request: `${method} ${path}`,
        ...(options.type === undefined ? {} : { as: options.type }),
        status: answer.status,
        ...(options.headers ? { headers: shown } : {}),
        answer: picked,
      }),
    );
    return answer;
  }

  /** Writes down a value that a client made of the server's answers. */
  note(what: string, value: unknown): void {
    this.transcript.push(this.normaliser.clean({ note: what, value }));
  }

  /** Reads until `holds`, then writes that answer down. Throws after 40 seconds. */
  async eventually(path: string, holds: (body: Json) => boolean, options: RequestOptions = {}): Promise<Answer> {
    await this.until(path, holds, undefined, options);
    return this.request('GET', path, options);
  }

  /** Reads until `holds`, and acts before each look; nothing is written down. Throws after 40 seconds. */
  async until(
    path: string,
    holds: (body: Json) => boolean,
    act: () => Promise<void> = async () => undefined,
    options: RequestOptions = {},
  ): Promise<void> {
    const until = Date.now() + 40_000 * PATIENCE;
    for (;;) {
      await act();
      const answer = await this.#send('GET', path, options);
      if (answer.body !== undefined && holds(answer.body)) return;
      if (Date.now() > until) throw new Error(`GET ${path} did not come to what was waited for: ${answer.text.slice(0, 4000)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Events of a watch while `during` runs, until there are `count` of them or the stream ends. */
  async watch(path: string, count: number, during: () => Promise<unknown> = async () => undefined, accept?: string): Promise<Json[]> {
    const events: Json[] = [];
    const done = new Promise<void>((resolve, reject) => {
      const call = request(`${this.server.url}${path}`, { agent: this.#agent, headers: this.#headers({ accept }) }, (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) if (line !== '' && events.length < count) events.push(JSON.parse(line));
          if (events.length >= count) call.destroy();
        });
        response.on('end', resolve);
        during().catch(reject);
      });
      call.on('close', resolve);
      call.on('error', (error) => (events.length >= count ? resolve() : reject(error)));
      call.setTimeout(15_000, () => call.destroy());
      call.end();
    });
    await done;
    this.transcript.push(this.normaliser.clean({ watch: path, events }));
    return events;
  }

  /** Runs kubectl with a home of its own; its output and exit code are written down. */
  async kubectl(args: string[], options: { token?: string; quiet?: boolean; input?: string } = {}): Promise<string> {
    const env = { ...process.env, KUBECONFIG: await this.#kubeconfig(options.token ?? TOKENS.admin), HOME: this.#home };
    const result = await new Promise<{ exit: number; stdout: string; stderr: string }>((resolve) => {
      const child = execFile('kubectl', args, { env, timeout: 40_000 * PATIENCE }, (error, stdout, stderr) =>
        resolve({ exit: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
      child.stdin?.end(options.input ?? '');
    });
    if (options.quiet !== true) {
      const { exit, stdout, stderr } = result;
      this.transcript.push(
        this.normaliser.clean({
          kubectl: args.join(' '),
          exit,
          ...(stdout === '' ? {} : { stdout: this.normaliser.columns(stdout) }),
          ...(stderr === '' ? {} : { stderr }),
        }),
      );
    }
    return result.stdout;
  }

  async #kubeconfig(token: string): Promise<string> {
    this.#home ??= await mkdtemp(join(tmpdir(), 'belay-contract-'));
    const file = join(this.#home, `${token}.json`);
    const cluster = { server: this.server.url, 'certificate-authority-data': this.server.caData };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'contract',
      clusters: [{ name: 'contract', cluster }],
      users: [{ name: 'contract', user: { token } }],
      contexts: [{ name: 'contract', context: { cluster: 'contract', user: 'contract' } }],
    };
    await writeFile(file, JSON.stringify(config));
    return file;
  }

  #headers({ accept, agent, token = TOKENS.admin, type }: RequestOptions): Record<string, string> {
    return {
      Accept: accept ?? 'application/json',
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(agent === undefined ? {} : { 'User-Agent': agent }),
    };
  }

  #send(method: string, path: string, options: RequestOptions): Promise<Answer> {
    const { body } = options;
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const headers = this.#headers({ ...options, type: options.type ?? (payload === undefined ? undefined : 'application/json') });
    if (payload !== undefined) headers['Content-Length'] = String(Buffer.byteLength(payload));
    return new Promise((resolve, reject) => {
      const call = request(`${this.server.url}${path}`, { method, agent: this.#agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) }));
      });
      call.on('error', reject);
      call.setTimeout(20_000, () => call.destroy(new Error(`${method} ${path} was not answered in 20 seconds`)));
      call.end(payload);
    });
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
