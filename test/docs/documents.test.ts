/** Documents written by hand name what there is: links that lead somewhere, commands, flags, scenarios, gates, annotations that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { createProgram } from '../../cli/program.ts';
import { configJsonSchema } from '../../domain/policy/config/schema.ts';
import { PHASES } from '../../domain/core/phases.ts';
import { SCENARIOS } from '../../rehearsal/scenarios/index.ts';
import { parseFault } from '../../rehearsal/faults/parse.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const markdownIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const documents = [...markdownIn('.'), ...markdownIn('docs'), ...markdownIn('docs/design'), ...markdownIn('deploy')];
const all = documents.map(read).join('\n');
const program = createProgram();
/** Taken by `npm run screenshots`; before the first time there are none. */
const PICTURES = 'docs/images/';
const noPictures = !existsSync(join(root, PICTURES)) || readdirSync(join(root, PICTURES)).every((name) => !name.endsWith('.png'));

/** As GitHub makes them. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

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

describe('commands', () => {
  const names = program.commands.map((command) => command.name());

  test('every `belay …` in a document is a command', () => {
    const used = [...all.matchAll(/(?:`belay |^belay |npm run belay -- |run --rm worker )([a-z]+(?:-[a-z]+)*)/gm)].map(
      ([, name = '']) => name,
    );
    expect(used).toContain('doctor');
    expect([...new Set(used)].filter((name) => !names.includes(name))).toEqual([]);
  });

  test('every npm script in a document is in package.json', () => {
    const parsed: unknown = JSON.parse(read('package.json'));
    const scripts = typeof parsed === 'object' && parsed !== null && 'scripts' in parsed ? Object.keys(parsed.scripts ?? {}) : [];
    const used = [...all.matchAll(/npm run ([a-z0-9:-]+)/g)].map(([, name = '']) => name);
    expect([...new Set(used)].filter((name) => !scripts.includes(name))).toEqual([]);
  });
});

describe('docs/rehearsal.md', () => {
  const text = read('docs/rehearsal.md');

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

describe('docs/operations.md', () => {
  const text = read('docs/operations.md');
  const sources = (folder: string): string =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join(folder, name)))
      .join('\n');

  test('has every annotation that Belay writes', () => {
    const written = [...new Set([...sources('activities').matchAll(/'(belay\.dev\/[a-z-]+)'/g)].map(([, name = '']) => name))];
    expect(written).toContain('belay.dev/budgets-before');
    expect(written.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  test('has every kind of gate and every mark of a step', () => {
    const kinds = /type GateKind =\s*([^;]+);/.exec(read('workflows/contract/ids.ts'))?.[1]?.match(/[\w-]+/g) ?? [];
    expect(kinds).toContain('blocked');
    expect(kinds.filter((kind) => !text.includes(`\`${kind}:`))).toEqual([]);
    const marks = [...(/const MARK = \{([^}]+)\}/.exec(read('workflows/reporting/current-details.ts'))?.[1] ?? '').matchAll(/'(.)'/gu)].map(
      ([, mark = '']) => mark,
    );
    expect(marks.length).toBeGreaterThan(5);
    expect(marks.filter((mark) => !text.includes(`| \`${mark}\` |`))).toEqual([]);
  });

  test('has every label of a choice', () => {
    const labels = [...sources('workflows').matchAll(/label: '([^']+)'/g)].map(([, label = '']) => label);
    expect(labels).toContain('Lift and roll');
    expect([...new Set(labels)].filter((label) => !text.includes(`**${label}**`))).toEqual([]);
  });

  test('has every search attribute, or deploy/README.md does', () => {
    const names = [...read('workflows/contract/messages.ts').matchAll(/'(Belay\w+)'/g)].map(([, name = '']) => name);
    expect(names).toContain('BelayWaitingFor');
    expect(names.filter((name) => !text.includes(name) || !read('deploy/README.md').includes(name))).toEqual([]);
  });
});
