/** Toxiproxy between Belay and a stand-in: found, or built once with Go, then started and spoken to. https://github.com/Shopify/toxiproxy */
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolsDirectory } from './cache-dir.ts';
import { freePorts } from './free-port.ts';
import { killGroup, Undertaker } from './undertaker.ts';

const GO_PACKAGE = 'github.com/Shopify/toxiproxy/v2/cmd/server@v2.5.0';
const PROGRAM = 'toxiproxy-server';
const READY_LIMIT_MS = 10_000;
const LOOK_MS = 50;

export interface LookUp {
  env: NodeJS.ProcessEnv;
  /** Progress for people. */
  say: (line: string) => void;
}

/** On PATH, in the cache, or built into it. Throws an error that names the ways out. */
export async function findToxiproxy({ env, say }: LookUp): Promise<string> {
  const directory = toolsDirectory(env);
  const onPath = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = [directory, ...onPath].map((folder) => join(folder, PROGRAM)).find(isExecutable);
  if (found !== undefined) return found;
  const go = onPath.map((folder) => join(folder, 'go')).find(isExecutable);
  if (go === undefined) {
    throw new Error(
      `Faults of the network need ${PROGRAM}, and neither it nor Go is on PATH: install Toxiproxy 2.5 (https://github.com/Shopify/toxiproxy) or Go, or choose another fault.`,
    );
  }
  say('Building Toxiproxy with Go, once …');
  mkdirSync(directory, { recursive: true });
  const built = mkdtempSync(join(directory, 'build-'));
  try {
    await run(go, ['install', GO_PACKAGE], { ...env, GOBIN: built });
    renameSync(join(built, 'server'), join(directory, PROGRAM));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Toxiproxy could not be built with Go (${why}); install it (https://github.com/Shopify/toxiproxy) and put it on PATH.`,
      {
        cause: error,
      },
    );
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
  return join(directory, PROGRAM);
}

export interface Toxic {
  type: 'latency' | 'timeout' | 'reset_peer' | 'slow_close';
  attributes: Record<string, number>;
}

export interface Toxiproxy {
  /** A way to `upstream` (host:port) that can be poisoned; returns its own port on 127.0.0.1. */
  between(name: string, upstream: string): Promise<number>;
  poison(name: string, toxic: Toxic): Promise<void>;
  /** Takes all toxics of a proxy away. */
  heal(name: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts the server; resolves when it answers. */
export async function startToxiproxy(program: string): Promise<Toxiproxy> {
  const [port] = await freePorts(1);
  const control = `http://127.0.0.1:${port}`;
  const undertaker = new Undertaker();
  const child = spawn(program, ['-host', '127.0.0.1', '-port', String(port)], { stdio: 'ignore', detached: true });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  if (child.pid !== undefined) undertaker.add(child.pid);
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${control}${path}`, {
      method,
      // It takes requests of browsers for attacks, and knows them by this header.
      headers: { 'user-agent': 'belay-rehearsal' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Toxiproxy answered ${answer.status} to ${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  await untilReady(() => fetch(`${control}/version`, { headers: { 'user-agent': 'belay-rehearsal' } }));
  return {
    async between(name, upstream) {
      const [listen] = await freePorts(1);
      await ask('POST', '/proxies', { name, listen: `127.0.0.1:${listen}`, upstream, enabled: true });
      return listen ?? 0;
    },
    async poison(name, { type, attributes }) {
      for (const stream of type === 'timeout' ? ['upstream', 'downstream'] : ['downstream'])
        await ask('POST', `/proxies/${name}/toxics`, { name: `${type}-${stream}`, type, stream, toxicity: 1, attributes });
    },
    async heal(name) {
      const toxics = await ask('GET', `/proxies/${name}/toxics`);
      for (const toxic of Array.isArray(toxics) ? toxics : []) await ask('DELETE', `/proxies/${name}/toxics/${String(toxic.name)}`);
    },
    async close() {
      if (child.pid !== undefined) killGroup(child.pid, 'SIGTERM');
      await ended;
      undertaker.close();
    },
  };
}

async function untilReady(look: () => Promise<Response>): Promise<void> {
  for (const endMs = performance.now() + READY_LIMIT_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
    const answer = await look().catch(() => undefined);
    if (answer?.ok === true) return;
  }
  throw new Error(`Toxiproxy did not answer within ${READY_LIMIT_MS / 1000} s.`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let last = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (last = chunk.trim().split('\n').at(-1) ?? last));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(last === '' ? `exit code ${code}` : last))));
  });
}
