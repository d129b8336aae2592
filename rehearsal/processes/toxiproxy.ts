/** Toxiproxy between Belay and a stand-in: started and spoken to. https://github.com/Shopify/toxiproxy */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from './free-port.ts';
import { killGroup, Undertaker } from './undertaker.ts';

const READY_LIMIT_MS = 10_000;
const LOOK_MS = 50;

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
