/** A stream as text. Node's own consumers go by way of a Blob, which takes as long again as parsing what is in it. */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Of a line: no metric has that many labels. Of all: a hundred times what a busy API server says of itself. */
const MAX_LINE = 1024 * 1024;
const MAX_LINES_BYTES = 1024 * 1024 * 1024;

/** UTF-8. `onStart` is given what comes first, as soon as it has come. Rejects where the stream ends before its end. */
export async function textOfStream(stream: Readable, onStart?: (text: string) => void): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    if (chunks.length === 0) onStart?.(chunk.toString('utf8'));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** UTF-8, line by line: no more than a chunk and a line is held at once. Rejects where the stream ends before its end, or is beyond all measure. */
export async function linesOfStream(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length > MAX_LINE || bytes > MAX_LINES_BYTES) throw new RangeError('the answer has no end');
  }
  if (rest !== '') onLine(rest);
}
