/** The whole of a stream as text. Node's own consumers go by way of a Blob, which takes as long again as parsing what is in it. */
import type { Readable } from 'node:stream';

/** UTF-8. Rejects where the stream ends before its end. */
export async function textOfStream(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
