/**
 * Socket mode: WebSockets opened with a ticket from apps.connections.open. An app may have ten of them, and each envelope goes to one of those that are
 * open, whichever that is: https://docs.slack.dev/apis/events-api/using-socket-mode#connections
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AppLink, Delivery, Envelope, Retry } from './app-link.ts';
import { fieldsOf, isFields, textOf } from '../block-kit/shape.ts';

const HOST = 'applink-rehearsal';
const PING_EVERY_MS = 10_000;
const MAX_CONNECTIONS = 10;
const TICKET_LIFETIME_MS = 30_000;
/** Clients that do not finish the close handshake by then are cut off. */
const CLOSE_WITHIN_MS = 500;

interface Waiting {
  socket: WebSocket;
  answer: (delivery: Delivery) => void;
}

export class SocketMode implements AppLink {
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sockets = new Set<WebSocket>();
  readonly #tickets = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #appId: string;
  readonly #ackTimeoutMs: number;
  readonly #pings: NodeJS.Timeout;
  #turn = 0;
  #down = false;

  constructor(options: { appId: string; ackTimeoutMs: number }) {
    this.#appId = options.appId;
    this.#ackTimeoutMs = options.ackTimeoutMs;
    this.#pings = setInterval(() => this.#sockets.forEach((socket) => socket.ping()), PING_EVERY_MS).unref();
  }

  /** The address a client may connect to once, within half a minute. `origin` is ws://127.0.0.1:port. */
  open(origin: string): string {
    const ticket = randomUUID();
    this.#tickets.set(ticket, Date.now() + TICKET_LIFETIME_MS);
    return `${origin}/link/?ticket=${ticket}&app_id=${this.#appId}`;
  }

  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const url = new URL(request.url ?? '/', 'http://slack.invalid');
      const ticket = url.searchParams.get('ticket') ?? '';
      const validUntilMs = this.#tickets.get(ticket) ?? 0;
      this.#tickets.delete(ticket);
      if (this.#down || url.pathname !== '/link/' || validUntilMs < Date.now()) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
        return;
      }
      this.#server.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
    });
  }

  connected(): number {
    return this.#sockets.size;
  }

  deliver(envelope: Envelope, retry?: Retry): Promise<Delivery> {
    const open = [...this.#sockets].filter((socket) => socket.readyState === socket.OPEN);
    const socket = open[this.#turn++ % Math.max(open.length, 1)];
    if (socket === undefined) return Promise.resolve({ kind: 'no-app' });
    const id = randomUUID();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(id, { kind: 'unanswered' }), this.#ackTimeoutMs);
      this.#waiting.set(id, { socket, answer: (delivery) => (clearTimeout(timer), resolve(delivery)) });
      socket.send(
        JSON.stringify({
          envelope_id: id,
          type: envelope.type,
          accepts_response_payload: envelope.acceptsPayload,
          payload: envelope.payload,
          ...(envelope.type === 'events_api'
            ? { retry_attempt: retry?.attempt ?? 0, retry_reason: retry === undefined ? '' : 'timeout' }
            : {}),
        }),
      );
    });
  }

  setDown(down: boolean): void {
    this.#down = down;
    if (down) for (const socket of this.#sockets) socket.close(1012, 'service restart');
  }

  close(): void {
    clearInterval(this.#pings);
    for (const socket of this.#sockets) {
      socket.close(1001, 'going away');
      setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS).unref();
    }
    this.#server.close();
  }

  #welcome(socket: WebSocket): void {
    if (this.#sockets.size >= MAX_CONNECTIONS) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets', debug_info: { host: HOST } }));
      socket.close(1008, 'too many websockets');
      return;
    }
    this.#sockets.add(socket);
    socket.on('message', (data) => this.#receive(Buffer.isBuffer(data) ? data.toString() : ''));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      for (const [id, waiting] of this.#waiting) if (waiting.socket === socket) this.#settle(id, { kind: 'unanswered' });
    });
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: this.#sockets.size,
        debug_info: { host: HOST, build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: this.#appId },
      }),
    );
  }

  #receive(data: string): void {
    let message: unknown;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (!isFields(message)) return;
    const id = textOf(message['envelope_id']);
    if (id !== undefined) this.#settle(id, { kind: 'acked', payload: fieldsOf(message['payload']) });
  }

  #settle(id: string, delivery: Delivery): void {
    this.#waiting.get(id)?.answer(delivery);
    this.#waiting.delete(id);
  }
}
