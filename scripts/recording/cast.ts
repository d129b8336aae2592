/** What a terminal printed, as a recording that plays and as a picture. Pure. */

/** Text, and how long after the start it came. */
export interface Heard {
  atMs: number;
  text: string;
}

const WIDTH = 118;
const HEIGHT = 32;
/** A key is pressed so often while the command is typed. */
const KEY_S = 0.05;
const PAUSE_S = 0.8;
/** Nobody watches a still picture for longer: longer pauses are cut to this. */
const MAX_IDLE_S = 3;

/** An asciicast, version 2: a header, and one line for each output. Pauses beyond three seconds are shortened, and the header says so. */
export function castOf(command: string, heard: readonly Heard[]): string {
  const header = {
    version: 2,
    width: WIDTH,
    height: HEIGHT,
    idle_time_limit: MAX_IDLE_S,
    title: 'A rehearsed upgrade, its worker killed on the way',
  };
  const lines: unknown[] = [header, [0, 'o', '\u001b[1;32m$\u001b[0m ']];
  let atS = PAUSE_S;
  for (const key of command) {
    lines.push([round(atS), 'o', key]);
    atS += KEY_S;
  }
  lines.push([round(atS), 'o', '\r\n']);
  let lastMs = 0;
  for (const { atMs, text } of heard) {
    atS += Math.min((atMs - lastMs) / 1000, MAX_IDLE_S);
    lastMs = atMs;
    lines.push([round(atS), 'o', painted(text).replaceAll('\n', '\r\n')]);
  }
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** As a terminal shows it: what asks for a decision in bold, kills in red. */
function painted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith('[') ? `\u001b[${codeOf(line)}m${line}\u001b[0m` : line))
    .join('\n');
}

function codeOf(line: string): string {
  if (line.includes('SIGKILL')) return '31';
  return line.includes('To decide') ? '1;33' : '0';
}

const ROWS = 26;
const CHAR_PX = 7.2;
const LINE_PX = 17;

/** The first rows of what it printed, for pages on which nothing plays. */
export function svgOf(command: string, heard: readonly Heard[]): string {
  const printed = heard
    .map(({ text }) => text)
    .join('')
    .split('\n');
  const rows = [`$ ${command}`, ...printed].slice(0, ROWS).map((row) => (row.length > WIDTH ? `${row.slice(0, WIDTH - 1)}…` : row));
  const width = Math.ceil(WIDTH * CHAR_PX) + 32;
  const height = rows.length * LINE_PX + 32;
  const texts = rows.map((row, index) => {
    const colour = /SIGKILL/.test(row) ? '#ff7b72' : /To decide|^\$/.test(row) ? '#ffffff' : '#b8c4d0';
    return `<text x="16" y="${28 + index * LINE_PX}" fill="${colour}" xml:space="preserve">${escaped(row)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(command)}">
<rect width="100%" height="100%" rx="8" fill="#121b24"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="12">
${texts.join('\n')}
</g>
<circle cx="${width / 2}" cy="${height / 2}" r="34" fill="#ffffff" fill-opacity="0.9"/>
<path d="M${width / 2 - 10} ${height / 2 - 16} l28 16 l-28 16 z" fill="#121b24"/>
</svg>
`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
