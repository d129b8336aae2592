/** Documents written by hand name what there is: links that lead somewhere, commands, flags, scenarios, gates, annotations that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { wholeProgram } from '../../cli/program.ts';
import { configJsonSchema } from '../../domain/policy/config/schema.ts';
import { CATALOGUE } from '../../domain/readiness/catalogue.ts';
import { PHASES } from '../../domain/core/phases.ts';
import { SCENARIOS } from '../../rehearsal/scenarios/index.ts';
import { anchorOf } from '../../site/anchors.ts';
import { parseFault } from '../../rehearsal/world/faults/parse.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const markdownIn = (folder: string, recursive = false): string[] =>
  readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const documents = [...markdownIn('.'), ...markdownIn('docs', true), ...markdownIn('deploy')];
const all = documents.map(read).join('\n');
const program = await wholeProgram();
/** Taken by `npm run screenshots`; before the first time there are none. */
const PICTURES = 'docs/images/';
const noPictures = !existsSync(join(root, PICTURES)) || readdirSync(join(root, PICTURES)).every((name) => !name.endsWith('.png'));

/** As GitHub makes them. */
const anchors = (text: string): string[] => [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));

describe('links', () => {
  test.each(documents)('%s', (path) => {
    const text = read(path);
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const place = file === '' ? path : normalize(join(dirname(path), file));
        if (place.startsWith(PICTURES) && noPictures) return false;
        if (!existsSync(join(root, place))) return true;
        return anchor !== undefined && !anchors(read(place)).includes(anchor);
      });
    expect(broken).toEqual([]);
  });

  test('every document is reachable from the README', () => {
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const [, target = ''] of read(path).matchAll(/\]\(([^)#\s]+\.md)/g)) {
        if (!/^https?:/.test(target)) visit(normalize(join(dirname(path), target)));
      }
    };
    visit('README.md');
    expect(documents.filter((path) => !seen.has(path))).toEqual([]);
  });
});

test('a first change adds the next free code', () => {
  const codes = CATALOGUE.flatMap(({ code }) => (code.startsWith('K8S') ? [Number(code.slice(3))] : []));
  const next = `K8S${String(Math.max(...codes) + 1).padStart(3, '0')}`;
  const said = read('docs/inside/first-change.md').match(/K8S\d{3}/g) ?? [];
  expect([...new Set(said)].filter((code) => code !== next && !CATALOGUE.some((check) => check.code === code))).toEqual([]);
  expect(said).toContain(next);
});

describe('commands', () => {
  const names = program.commands.map((command) => command.name());

  test('every `belay …` in a document is a command', () => {
    const used = [...all.matchAll(/(?:`belay |^belay |npm run belay -- |run --rm worker )([a-z]+(?:-[a-z]+)*)/gm)].map(
      ([, name = '']) => name,
    );
    expect(used).toContain('doctor');
    expect([...new Set(used)].filter((name) => !names.includes(name))).toEqual([]);
  });

  test('what stands for `belay` prints nothing of its own, and nothing else is piped: npm announces a script on stdout', () => {
    const meant = [...all.matchAll(/`belay` means `([^`]+)`/g)].map(([, command = '']) => command);
    expect(meant.length).toBeGreaterThan(1);
    expect(meant.filter((command) => command !== 'npm run --silent belay --')).toEqual([]);
    expect([...all.matchAll(/npm run belay -- [^`\n#]*[|>][^`\n]*/g)].map(([text]) => text)).toEqual([]);
  });

  test('every npm script in a document is in package.json', () => {
    const parsed: unknown = JSON.parse(read('package.json'));
    const scripts = typeof parsed === 'object' && parsed !== null && 'scripts' in parsed ? Object.keys(parsed.scripts ?? {}) : [];
    const used = [...all.matchAll(/npm run (?:--silent )?([a-z0-9:-]+)/g)].map(([, name = '']) => name);
    expect([...new Set(used)].filter((name) => !scripts.includes(name))).toEqual([]);
  });
});

describe('the version of what runs unattended', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const pages = [...documents.filter((path) => path !== 'CHANGELOG.md' && !path.startsWith('docs/inside/')), 'actions/check/README.md'];
  const found = (pattern: RegExp): string[] =>
    pages.flatMap((path) => [...read(path).matchAll(pattern)].map(([text]) => `${path}: ${text}`));

  test('is named, and is that of the project', () => {
    const named = found(/(?:eks-belay@|eks-belay\/actions\/check@v|rev: v)(?:\d[\w.-]*)/g);
    expect(named.filter((each) => each.startsWith('docs/check.md')).length).toBeGreaterThan(2);
    expect(named.filter((each) => !each.endsWith(version))).toEqual([]);
  });

  test('is not left to the day: in a workflow no npx fetches the newest, and nothing is installed without a version', () => {
    expect(found(/npm install\b[^\n]*\beks-belay\b(?!@\d)[^\n]*|^ *- (?:run: )?npx [^\n]*/gm)).toEqual([]);
  });
});

describe('docs/reference/rehearsal.md', () => {
  const text = read('docs/reference/rehearsal.md');

  test('has every scenario and flag', () => {
    const flags =
      program.commands.find((command) => command.name() === 'rehearse')?.options.map((option) => option.long ?? option.flags) ?? [];
    expect(flags).toContain('--kill');
    const wanted = [...Object.keys(SCENARIOS).map((name) => `\`${name}\``), ...flags];
    expect(wanted.filter((name) => !text.includes(name))).toEqual([]);
  });

  test('names no scenario, fault or phase that does not exist', () => {
    const scenarios = [...all.matchAll(/--scenario ([a-z0-9-]+)/g)].map(([, name = '']) => name);
    // A word in capitals stands for one that the reader chooses.
    const faults = [...all.matchAll(/--fault ([a-z][\w:@=.-]+)/g)].map(([, name = '']) => name.replace(/=[A-Z]+$/, ''));
    const phases = [...all.matchAll(/--kill \w+@([a-z-]+)/g)].map(([, name = '']) => name);
    expect(scenarios.filter((name) => !(name in SCENARIOS))).toEqual([]);
    for (const name of faults) expect(() => parseFault(name)).not.toThrow();
    expect(phases.filter((name) => !PHASES.some((phase) => phase === name))).toEqual([]);
  });
});

test('belay.example.yaml shows every key of the configuration', () => {
  const keys = new Set<string>();
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, inner] of Object.entries(schema)) {
      if (name === 'properties' && typeof inner === 'object' && inner !== null) for (const key of Object.keys(inner)) keys.add(key);
      visit(inner);
    }
  };
  visit(configJsonSchema());
  expect(keys).toContain('paces');
  const example = read('belay.example.yaml');
  expect([...keys].filter((key) => !new RegExp(`^[\\s#-]*${key}:`, 'm').test(example))).toEqual([]);
});

describe('docs/operate', () => {
  const sources = (folder: string): string =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join(folder, name)))
      .join('\n');
  const gates = read('docs/operate/gates.md');

  test('restore.md has every annotation that Belay writes', () => {
    const written = [...new Set([...sources('activities').matchAll(/'(belay\.dev\/[a-z-]+)'/g)].map(([, name = '']) => name))];
    expect(written).toContain('belay.dev/budgets-before');
    expect(written.filter((name) => !read('docs/operate/restore.md').includes(`\`${name}\``))).toEqual([]);
  });

  test('gates.md has a section for every kind of gate', () => {
    const kinds = /type GateKind =\s*([^;]+);/.exec(read('workflows/contract/ids.ts'))?.[1]?.match(/[\w-]+/g) ?? [];
    expect(kinds).toContain('blocked');
    expect(kinds.filter((kind) => !gates.includes(`\n### \`${kind}:`))).toEqual([]);
  });

  test('gates.md has every label of a choice, or freeze.md does', () => {
    const labels = [...sources('workflows').matchAll(/label: '([^']+)'/g)].map(([, label = '']) => label);
    expect(labels).toContain('Lift and roll');
    const text = gates + read('docs/operate/freeze.md');
    expect([...new Set(labels)].filter((label) => !text.includes(`**${label}**`))).toEqual([]);
  });

  test('on-call.md has every mark of a step', () => {
    const marks = [...(/const MARK = \{([^}]+)\}/.exec(read('workflows/reporting/current-details.ts'))?.[1] ?? '').matchAll(/'(.)'/gu)].map(
      ([, mark = '']) => mark,
    );
    expect(marks.length).toBeGreaterThan(5);
    expect(marks.filter((mark) => !read('docs/operate/on-call.md').includes(`| \`${mark}\` |`))).toEqual([]);
  });

  test('on-call.md has every search attribute, and deploy/README.md does', () => {
    const names = [...read('workflows/contract/messages.ts').matchAll(/'(Belay\w+)'/g)].map(([, name = '']) => name);
    expect(names).toContain('BelayWaitingFor');
    expect(names.filter((name) => !read('docs/operate/on-call.md').includes(name) || !read('deploy/README.md').includes(name))).toEqual([]);
  });
});

describe('shape of a page', () => {
  const pages = documents.filter((path) => !path.startsWith('docs/design/0') && path !== 'CHANGELOG.md');
  const isReadme = (path: string): boolean => path === 'README.md';

  test('it begins with who needs it', () => {
    const opening = (path: string): string => /^# .+\n+(?:<!--.*-->\n+)?(.*)/.exec(read(path))?.[1] ?? '';
    expect(pages.filter((path) => !isReadme(path) && !/^For (?!example)/.test(opening(path)))).toEqual([]);
  });

  test('it ends with the next page', () => {
    expect(pages.filter((path) => !/\nNext: \[[^\]]+\]\([^)]+\)\.\n$/.test(read(path)))).toEqual([]);
  });

  test('no cell of a table has more than two sentences', () => {
    const cells = pages.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .flatMap((line) => line.split(/(?<!\\)\|/).map((cell) => `${path}: ${cell.trim()}`)),
    );
    expect(cells.length).toBeGreaterThan(500);
    expect(cells.filter((cell) => cell.split(/[.?!]\)?\s+(?=[\p{Lu}`*[])/u).length > 2)).toEqual([]);
  });
});
