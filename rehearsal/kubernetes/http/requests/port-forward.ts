/**
 * pods/portforward over a WebSocket, as API servers and kubelets serve it (k8s.io/kubelet, pkg/cri/streaming/portforward/websocket.go): channels 0 for
 * data and 1 for errors, the port first on each. In the pods there are programs that answer one HTTP request.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { DetailedError } from '../../failures.ts';
import { type KubeObject, type ObjectStore, StoreError } from '../../store.ts';
import type { RequestInfo } from '../request-info.ts';
import { failureStatus, noSuchResource } from '../status.ts';

/** What a program in a pod answers; undefined: nothing listens on that port. */
export type PodPrograms = (pod: KubeObject, port: number, path: string) => { status: number; body: string } | undefined;

export interface Upgrade {
  message: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERRORS = 1;
const server = new WebSocketServer({ noServer: true, handleProtocols: (asked) => asked.has(PROTOCOL) && PROTOCOL });

/** Throws the API server's refusals, before it has switched protocols. */
export function forwardPort(upgrade: Upgrade, info: RequestInfo, { store, programs }: { store: ObjectStore; programs: PodPrograms }): void {
  const { plural, subresource, namespace, name = '' } = info.resource ?? {};
  if (plural !== 'pods' || subresource !== 'portforward') throw noSuchResource();
  const pod = store.get('pods', name, namespace);
  if (pod === undefined) throw new DetailedError(404, 'NotFound', `pods "${name}" not found`, { name, kind: 'pods' });
  const port = Number(new URL(upgrade.message.url ?? '/', 'https://127.0.0.1').searchParams.get('ports'));
  if (!Number.isInteger(port) || port < 1) throw new StoreError(400, 'BadRequest', 'query parameter "ports" is required');
  server.handleUpgrade(upgrade.message, upgrade.socket, upgrade.head, (client) => converse(client, pod, port, programs));
}

/** As the HTTP server would have answered, on a socket that it has let go of. */
export function refuseUpgrade(socket: Duplex, date: string, error: unknown): void {
  const status = failureStatus(error);
  const body = `${JSON.stringify(status)}\n`;
  const head = [
    `HTTP/1.1 ${status.code} ${STATUS_CODES[status.code] ?? ''}`,
    `Date: ${date}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function converse(client: WebSocket, pod: KubeObject, port: number, programs: PodPrograms): void {
  const send = (channel: number, data: string | Buffer): void => client.send(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]));
  const portBytes = Buffer.alloc(2);
  portBytes.writeUInt16LE(port);
  send(DATA, portBytes);
  send(ERRORS, portBytes);
  let heard = '';
  client.on('error', () => client.terminate());
  client.on('message', (data: Buffer) => {
    if (data[0] !== DATA) return;
    heard += data.subarray(1).toString('utf8');
    const path = /^GET (\S+) HTTP\/1\.[01]\r\n(?:.+\r\n)*\r\n/.exec(heard)?.[1];
    if (path === undefined) return;
    const answer = programs(pod, port, path);
    if (answer === undefined) send(ERRORS, `error forwarding port ${port} to pod ${pod.metadata.name}: connect: connection refused`);
    else {
      const head = `HTTP/1.0 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\nContent-Type: application/json\r\n\r\n`;
      // In two pieces, as streams come.
      send(DATA, head);
      send(DATA, answer.body);
    }
    client.close();
  });
}
