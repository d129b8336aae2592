/** What in the sources does not keep to scripts/lint/rooms.ts: imports that run back up, circles, rooms without a description, files and folders that are too large. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { circlesOf, filesOf, type Import, importsOf } from './imports.ts';
import { moduleStateOf, SHARED } from './module-state.ts';
import { GENERATED, HOUSE, MAX_FILES, MAX_LINES, type Wing } from './rooms.ts';

/** One line for each breach; none where the house is in order. `root` is the folder of the project. */
export function breachesOf(root: string, house: Readonly<Record<string, Wing>> = HOUSE): string[] {
  const files = Object.keys(house).flatMap((wing) => filesOf(root, wing));
  const imports = files.flatMap((file) => importsOf(root, file));
  return [
    ...imports.flatMap((one) => breachOf(one, house)),
    ...circlesOf(imports).map((circle) => `circle of files: ${circle.join(', ')}`),
    ...sizesOf(root, files),
    ...files.filter((file) => SHARED.includes(wingOf(file))).flatMap((file) => moduleStateOf(file, readFileSync(join(root, file), 'utf8'))),
    ...Object.entries(house).flatMap(([name, wing]) => descriptionsOf(root, name, wing)),
  ];
}

const wingOf = (path: string): string => path.split('/')[0] ?? '';
/** The room of a file; undefined for files at the top of a wing. */
const roomOf = (path: string): string | undefined => (path.split('/').length > 2 ? path.split('/')[1] : undefined);

function breachOf({ from, to, line, typeOnly }: Import, house: Readonly<Record<string, Wing>>): string[] {
  const wing = house[wingOf(from)];
  if (wing === undefined) return [];
  const says = (what: string) => [`${from}:${line} imports ${to}: ${what}`];
  if (wingOf(to) !== wingOf(from)) {
    const allowed = wing.uses.some((use) => {
      const path = use.replace(/^type:/, '');
      return (to === path || to.startsWith(`${path}/`)) && (path === use || typeOnly);
    });
    return allowed ? [] : says(`${wingOf(from)}/ may use ${wing.uses.join(', ') || 'no other wing'}`);
  }
  const room = roomOf(from);
  if (room === undefined) return [];
  const rooms = wing.rooms[room];
  if (rooms === undefined) return says(`${wingOf(from)}/${room} is not a room of scripts/lint/rooms.ts`);
  const target = roomOf(to);
  if (target === room) return [];
  if (target === undefined) return says('files at the top of a wing bind its rooms together; rooms do not use them');
  return rooms.includes(target) ? [] : says(`${wingOf(from)}/${room} may use ${rooms.join(', ') || 'no other room'}`);
}

function sizesOf(root: string, files: readonly string[]): string[] {
  const folders = new Map<string, number>();
  for (const file of files) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1);
  const long = files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    return lines > MAX_LINES && !GENERATED.includes(file) ? [`${file} has ${lines} lines: split it (at most ${MAX_LINES})`] : [];
  });
  const full = [...folders].flatMap(([folder, count]) =>
    count > MAX_FILES && folder.includes('/') && folder !== 'cli/commands'
      ? [`${folder} has ${count} files: split it (at most ${MAX_FILES})`]
      : [],
  );
  return [...long, ...full];
}

/** Every wing and room says in its README what lives there, and what it may use as the table has it. */
function descriptionsOf(root: string, name: string, { uses, rooms }: Wing): string[] {
  const wing = `May use: ${uses.map((use) => use.replace('type:', 'types of ')).join(', ') || 'no other wing'}.`;
  const lines = Object.entries(rooms).map(([room, others]) => [
    `${name}/${room}`,
    `May use in this wing: ${others.join(', ') || 'no other room'}.`,
  ]);
  return [[name, wing], ...lines].flatMap(([folder = '', line = '']) => {
    const file = `${folder}/README.md`;
    if (!existsSync(join(root, file))) return [`${file} is missing: it says what lives there, and "${line}"`];
    return readFileSync(join(root, file), 'utf8').includes(`\n${line}\n`) ? [] : [`${file} has to say: ${line}`];
  });
}
