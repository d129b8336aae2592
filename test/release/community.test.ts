/** What GitHub shows and reads beside the code: forms, owners, updates of dependencies, and one address of the repository everywhere. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { root, textOf, yamlOf } from '../deploy/files.ts';

const manifest = z
  .object({
    repository: z.object({ url: z.string() }),
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(textOf('package.json')));
const [, repository = ''] = /^git\+https:\/\/github\.com\/(.+)\.git$/.exec(manifest.repository.url) ?? [];
const forms = readdirSync(join(root, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');

describe('forms for issues', () => {
  const element = z.object({
    type: z.enum(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']),
    id: z.string().optional(),
    attributes: z.object({ label: z.string().optional(), value: z.string().optional(), options: z.array(z.unknown()).optional() }),
  });
  // docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-githubs-form-schema
  const form = z.object({ name: z.string(), description: z.string(), labels: z.array(z.string()), body: z.array(element).min(1) });

  test.each(forms)('%s has what GitHub asks for', (name) => {
    const { body } = form.parse(yamlOf(`.github/ISSUE_TEMPLATE/${name}`)[0]);
    const inputs = body.filter(({ type }) => type !== 'markdown');
    const ids = inputs.map(({ id }) => id);
    expect(ids.filter((id) => id === undefined || !/^[\w-]+$/.test(id))).toEqual([]);
    expect(ids).toEqual([...new Set(ids)]);
    expect(inputs.filter(({ attributes }) => attributes.label === undefined)).toEqual([]);
    expect(inputs.filter(({ type, attributes }) => ['dropdown', 'checkboxes'].includes(type) && attributes.options === undefined)).toEqual(
      [],
    );
  });

  test('questions and vulnerabilities have places of their own', () => {
    const config = z.object({ blank_issues_enabled: z.boolean(), contact_links: z.array(z.object({ url: z.string() })) });
    const { blank_issues_enabled: blank, contact_links: links } = config.parse(yamlOf('.github/ISSUE_TEMPLATE/config.yml')[0]);
    expect({ blank, links: links.map(({ url }) => url) }).toEqual({
      blank: false,
      links: [`https://github.com/${repository}/discussions`, `https://github.com/${repository}/security/advisories/new`],
    });
  });
});

test('owners are of paths that are there', () => {
  const lines = textOf('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.length).toBeGreaterThan(5);
  const [first, ...rest] = lines.map((line) => line.split(/\s+/));
  expect(first).toEqual(['*', '@example/belay-maintainers']);
  expect(rest.filter(([path = '']) => !existsSync(join(root, path)))).toEqual([]);
  expect(rest.filter(([, ...owners]) => owners.length === 0 || !owners.every((owner) => owner.startsWith('@')))).toEqual([]);
});

test('the repository has one address', () => {
  const files = [
    '.pre-commit-hooks.yaml',
    'SECURITY.md',
    'docs/check.md',
    'actions/check/README.md',
    ...forms.map((name) => `.github/ISSUE_TEMPLATE/${name}`),
  ];
  const named = files.flatMap((path) =>
    [...textOf(path).matchAll(/(?:github\.com\/|ghcr\.io\/|uses: )([\w-]+\/eks-belay)\b/g)].map(([, name]) => ({ path, name })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ name }) => name !== repository)).toEqual([]);
});

describe('updates of dependencies', () => {
  const update = z.object({
    'package-ecosystem': z.string(),
    directory: z.string().optional(),
    directories: z.array(z.string()).optional(),
    groups: z.record(z.string(), z.object({ patterns: z.array(z.string()).optional() })).optional(),
  });
  const { updates } = z.object({ version: z.literal(2), updates: z.array(update) }).parse(yamlOf('.github/dependabot.yml')[0]);

  test('look where something is', () => {
    expect(updates.map((each) => each['package-ecosystem'])).toEqual(['npm', 'github-actions', 'docker', 'terraform']);
    const folders = updates.flatMap(({ directory, directories = [] }) => [...(directory === undefined ? [] : [directory]), ...directories]);
    expect(folders.filter((path) => !existsSync(join(root, path.replace(/\*$/, ''))))).toEqual([]);
  });

  test('come together by groups, each of which has a member', () => {
    const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    const groups = updates.find((each) => each['package-ecosystem'] === 'npm')?.groups ?? {};
    const patterns = Object.values(groups).flatMap((group) => group.patterns ?? []);
    const matches = (pattern: string): boolean => names.some((name) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name));
    expect(patterns).toContain('@temporalio/*');
    expect(patterns.filter((pattern) => !matches(pattern))).toEqual([]);
  });
});
