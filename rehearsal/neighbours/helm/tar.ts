/** A tar archive of text files, in the ustar format (POSIX.1-1988), gzipped: what a chart's .tgz is. */
import { gzipSync } from 'node:zlib';

const BLOCK = 512;

/** Paths of at most 100 characters. */
export function tgzOf(files: readonly { path: string; text: string }[]): Buffer {
  const parts = files.flatMap(({ path, text }) => {
    const content = Buffer.from(text);
    return [header(path, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0');
  block.write(path, 0, 100);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  // The checksum is taken with its own field full of blanks.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 7)}\0 `, 148);
  return block;
}
