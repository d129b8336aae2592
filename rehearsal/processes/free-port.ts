/** Ports for processes that want theirs named. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { field } from '../../domain/core/unknown.ts';
import { listen } from '../world/core/loopback.ts';

/**
 * Below those that systems give to connections and to whoever asks for any port (from 32768 on Linux, 49152 elsewhere): between this
 * look and the start of the process nobody gets one of these unasked.
 */
const RANGE = { from: 15_000, to: 32_000 };
const TRIES = 100;

/** Free ports on 127.0.0.1, all different. Throws where none is found. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let left = count + TRIES; ports.size < count; left -= 1) {
    if (left === 0) throw new Error(`no free port on 127.0.0.1 from ${RANGE.from} to ${RANGE.to} in ${count + TRIES} tries`);
    const port = randomInt(RANGE.from, RANGE.to);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await listen(server, port);
  } catch (error) {
    if (field(error, 'code') === 'EADDRINUSE') return false;
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
