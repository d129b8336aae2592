/** For tests that move the clock of what is signed and compared: sockets, servers and waits stay real. */
import { vi } from 'vitest';

export function fakeOnlyTheDate(): void {
  vi.useFakeTimers({ toFake: ['Date'] });
}

export function passMs(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}
