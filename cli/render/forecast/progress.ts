/** How far simulations are, on stderr. They hold up this process, so that each says so itself. */
import { simulatedSoFar } from '../../messages/views.ts';
import type { ProgressStream } from '../check-progress.ts';

/** Between two lines where nothing can be rewritten. Quick forecasts say nothing. */
const EVERY_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';

export interface SimulationProgress {
  played: (n: number, of: number) => void;
  /** Leaves nothing on a terminal. */
  end: () => void;
}

/** `nowMs` is injected by tests. */
export function showSimulations(stream: ProgressStream, nowMs: () => number = Date.now): SimulationProgress {
  let saidMs = nowMs();
  return {
    played(n, of) {
      if (n === of) return;
      if (stream.isTTY) return void stream.write(`${CLEAR_LINE}${simulatedSoFar(n, of)}`);
      if (nowMs() - saidMs < EVERY_MS) return;
      saidMs = nowMs();
      stream.write(`${simulatedSoFar(n, of)}\n`);
    },
    end() {
      if (stream.isTTY) stream.write(CLEAR_LINE);
    },
  };
}
