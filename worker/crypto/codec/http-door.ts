/** Who may come in to what this process shows over HTTP: this machine, or whoever sends the token. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { ValueError } from '@temporalio/common';
import type express from 'express';
import { messageOf } from '../../../domain/core/unknown.ts';
import { isLoopback } from '../../config/loopback.ts';

export interface Door {
  host: string;
  /** 0: a free one. */
  port: number;
  /** Asked for as `Authorization: Bearer …`; without one only this machine is let in. */
  token?: string;
}

/** Listens. Throws where nothing would keep others out. `open`: a sentence about what they could do. */
export async function listenBehind(
  app: express.Express,
  { host, port, token }: Door,
  open: string,
): Promise<{ port: number; close(): Promise<void> }> {
  if (token === undefined && !isLoopback(host)) throw new ValueError(open);
  const server = app.listen(port, host);
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error) => reject(new Error(`Cannot listen on ${host}, port ${port}: ${messageOf(error)}`, { cause: error })));
  });
  return { port: portOf(server), close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Why somebody is kept out; undefined: nothing at the door does. A page elsewhere may have its name lead here (DNS rebinding): so the name counts, too. */
export function refusalAtDoor({ token }: Pick<Door, 'token'>, { host = '', authorization = '' }: IncomingHttpHeaders): string | undefined {
  if (token === undefined && !isLoopback(host)) return 'it was asked by a name that is not this machine’s own';
  if (token !== undefined && !isSame(authorization, `Bearer ${token}`)) return 'the token is missing or another one';
  return undefined;
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
