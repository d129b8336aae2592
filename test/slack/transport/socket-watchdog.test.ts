/** When the process gives up on its socket. */
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, vi, test } from 'vitest';
import { watchSocket } from '../../../slack/transport/socket-watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('RT7: a first connection that takes long is no lost one; after a loss the limit holds', () => {
  const socket = new EventEmitter();
  const said: string[] = [];
  const stop = watchSocket(socket, { openMs: 60_000, limitMs: 3_000 }, (message) => void said.push(message));
  vi.advanceTimersByTime(20_000);
  expect(said).toEqual([]);
  socket.emit('connected');
  vi.advanceTimersByTime(100_000);
  socket.emit('close');
  vi.advanceTimersByTime(2_999);
  expect(said).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(said).toEqual([expect.stringMatching(/^no connection to Slack for 3 s: exiting/)]);
  stop();
});

test('a first connection that never stands ends the process, too', () => {
  const said: string[] = [];
  watchSocket(new EventEmitter(), { openMs: 60_000, limitMs: 3_000 }, (message) => void said.push(message));
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual([expect.stringMatching(/^no connection to Slack for 60 s: exiting/)]);
});
