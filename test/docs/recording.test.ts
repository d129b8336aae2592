/** The recording of a rehearsal: what plays in the documents is what a terminal printed. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { castOf, svgOf } from '../../scripts/recording/cast.ts';

const HEARD = [
  { atMs: 1000, text: 'A tiny cluster\n' },
  { atMs: 61_000, text: '[00:10:00] SIGKILL to worker at <control-plane>\n' },
];

test('the command is typed, output follows in its time, and a long pause is cut to three seconds', () => {
  const [header, prompt, ...lines] = castOf('ls', HEARD)
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(header).toMatchObject({ version: 2, width: 118, height: 32 });
  expect(prompt).toEqual([0, 'o', '\u001b[1;32m$\u001b[0m ']);
  expect(lines).toEqual([
    [0.8, 'o', 'l'],
    [0.85, 'o', 's'],
    [0.9, 'o', '\r\n'],
    [1.9, 'o', 'A tiny cluster\r\n'],
    [4.9, 'o', '\u001b[31m[00:10:00] SIGKILL to worker at <control-plane>\u001b[0m\r\n'],
  ]);
});

test('its picture has the first rows, escaped', () => {
  const svg = svgOf('ls', HEARD);
  expect(svg).toContain('>A tiny cluster</text>');
  expect(svg).toContain('SIGKILL to worker at &lt;control-plane&gt;');
});

test('the recording of the documents is whole: an upgrade completes after its worker was killed, within five minutes', () => {
  const lines = readFileSync(fileURLToPath(new URL('../../docs/recordings/rehearsal.cast', import.meta.url)), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line): [number, string, string] => JSON.parse(line));
  const text = lines.map(([, , printed]) => printed).join('');
  expect(text).toContain('SIGKILL to worker at control-plane');
  expect(text).toMatch(/left behind +nothing/);
  // Nothing of the machine on which it was recorded.
  expect(text).not.toMatch(/\/(tmp|home|root)\//);
  expect(lines.at(-1)?.[0]).toBeLessThan(300);
  expect(lines.map(([at]) => at)).toEqual(lines.map(([at]) => at).toSorted((a, b) => a - b));
});
