/** A terminal on which a picture is drawn again in its place: the alternate screen, so that what was there before comes back at the end. */
import { count } from '../../../domain/core/text.ts';

/** Alternate screen, cursor and wrapping: invisible-island.net/xterm/ctlseqs/ctlseqs.html, "DEC Private Mode Set". */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

type ScreenStream = Pick<NodeJS.WriteStream, 'write' | 'rows'>;

export class Screen {
  readonly #stream: ScreenStream;
  #isOpen = false;

  constructor(stream: ScreenStream) {
    this.#stream = stream;
  }

  /** Lines that are too long are cut by the terminal, those for which there is no room are counted. */
  draw(lines: readonly string[]): void {
    const rows = Math.max(2, this.#stream.rows || 24);
    const shown = lines.length <= rows ? lines : [...lines.slice(0, rows - 1), `… ${count(lines.length - rows + 1, 'more line')}`];
    const picture = shown.map((line) => `${line}${CLEAR_LINE}`).join('\n');
    this.#stream.write(`${this.#isOpen ? '' : ENTER}${HOME}${picture}${CLEAR_BELOW}`);
    this.#isOpen = true;
  }

  /** Whatever has happened: a terminal without a cursor is of no use to anybody. */
  leave(): void {
    if (this.#isOpen) this.#stream.write(LEAVE);
    this.#isOpen = false;
  }
}
