/** For tests that move the clock of what is signed and compared: sockets, servers and waits stay real. */
import { jest } from '@jest/globals';

export function fakeOnlyTheDate(): void {
  jest.useFakeTimers({
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'requestAnimationFrame',
      'cancelAnimationFrame',
      'requestIdleCallback',
      'cancelIdleCallback',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
}

export function passMs(ms: number): void {
  jest.setSystemTime(Date.now() + ms);
}
