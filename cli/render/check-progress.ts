/** How far `belay check` is, on stderr: one line that is rewritten on a terminal, else a line now and then, so that a log of CI shows life. */
import { someOf } from '../../domain/core/text.ts';
import { readSoFar } from '../messages/views.ts';

/** Between two lines where nothing can be rewritten. Quick checks say nothing. */
const EVERY_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';
const NAMED = 2;

export interface Progress {
  /** Was read, or could not be. */
  read(what: string): void;
  /** Leaves nothing on a terminal. */
  end(): void;
}

export type ProgressStream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** `wanted`: all that is to be read. */
export function showProgress(stream: ProgressStream, wanted: readonly string[]): Progress {
  const missing = new Set(wanted);
  const text = (): string => readSoFar(wanted.length - missing.size, wanted.length, someOf([...missing], NAMED));
  const timer = stream.isTTY ? undefined : setInterval(() => void stream.write(`${text()}\n`), EVERY_MS);
  return {
    read(what) {
      missing.delete(what);
      if (stream.isTTY && missing.size > 0) stream.write(`${CLEAR_LINE}${text()}`);
    },
    end() {
      clearInterval(timer);
      if (stream.isTTY) stream.write(CLEAR_LINE);
    },
  };
}
