/** Lines of a compressed file, one after the other: a snapshot is larger than what should be held of it. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** Calls `take` for each line, without its line feed, with what of it is bytes. Rejects as streams do. */
export async function eachLine(file: string, take: (line: Buffer) => void): Promise<void> {
  await pipeline(createReadStream(file), createGunzip(), async (source: AsyncIterable<Buffer>) => {
    let rest: Buffer[] = [];
    for await (const chunk of source) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        take(Buffer.concat([...rest, chunk.subarray(from, at)]));
        rest = [];
        from = at + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
    if (rest.length > 0) take(Buffer.concat(rest));
  });
}
