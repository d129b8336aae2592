/** A TCP address that stays while what is behind it changes; it can be slow, and while it is held, nothing that clients send gets through. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listen } from '../../../rehearsal/world/core/loopback.ts';

export class Forwarder {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** What clients send arrives this much later. */
  delayMs = 0;
  #port = 0;
  readonly url: string;
  #held = false;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on('connection', (client) => this.#join(client));
  }

  static async start(): Promise<Forwarder> {
    const server = createServer();
    return new Forwarder(server, await listen(server));
  }

  /** New connections go there. */
  to(url: string): void {
    this.#port = Number(new URL(url).port);
  }

  /** Returns the release. */
  hold(): () => void {
    this.#held = true;
    return () => {
      this.#held = false;
      for (const pair of this.#pairs) pair.flush();
    };
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) pair.end();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  #join(client: Socket): void {
    const pair = new Pair(client, connect(this.#port, '127.0.0.1'), () => ({ held: this.#held, delayMs: this.delayMs }));
    this.#pairs.add(pair);
    client.once('close', () => this.#pairs.delete(pair));
  }
}

class Pair {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #waiting: Buffer[] = [];

  constructor(client: Socket, upstream: Socket, now: () => { held: boolean; delayMs: number }) {
    this.#client = client;
    this.#upstream = upstream;
    const pass = (chunk: Buffer): void => {
      if (now().held) this.#waiting.push(chunk);
      else upstream.write(chunk);
    };
    // Timers of the same length fire in their order.
    client.on('data', (chunk: Buffer) => void (now().delayMs === 0 ? pass(chunk) : setTimeout(() => pass(chunk), now().delayMs)));
    upstream.on('data', (chunk: Buffer) => client.write(chunk));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  }

  flush(): void {
    for (const chunk of this.#waiting.splice(0)) this.#upstream.write(chunk);
  }

  end(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }
}
