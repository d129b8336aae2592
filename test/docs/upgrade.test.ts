/** What docs/upgrade.md shows to copy is what "belay apply" and its surroundings read. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { programFor } from '../../cli/program.ts';
import { upgradeJsonSchema } from '../../domain/policy/config/upgrade-file.ts';
import { parseUpgrades } from '../../worker/config/upgrade-file.ts';

const text = readFileSync(new URL('../../docs/upgrade.md', import.meta.url), 'utf8');
const snippets = [...text.matchAll(/```yaml\n([^]+?)```/g)].map(([, yaml = '']) => yaml);
const [upgrade = '', hook = '', actions = ''] = snippets;
const parsed = (yaml: string): unknown => {
  const document = parseDocument(yaml);
  expect(document.errors).toEqual([]);
  return document.toJS();
};

test('the Upgrade is one, by the parser and by the schema for editors', () => {
  expect(parseUpgrades(upgrade, 'upgrade.yaml')).toEqual([
    { name: 'prod-to-1-34', cluster: 'prod', target: '1.34', strategy: 'once-at-the-end', at: 'upgrade.yaml:2' },
  ]);
  const isValid = new Ajv2020().compile(upgradeJsonSchema());
  expect(isValid(parsed(upgrade))).toBe(true);
  expect(isValid(parsed(upgrade.replace('target:', 'targt:')))).toBe(false);
});

test('the hook of Argo CD and the workflow of GitHub call apply with options that it has', async () => {
  const job = parsed(hook);
  expect(job).toMatchObject({ kind: 'Job', metadata: { annotations: { 'argocd.argoproj.io/hook': 'PreSync' } } });
  expect(job).toHaveProperty('spec.template.spec.containers[0].args[0]', 'apply');
  expect(parsed(actions)).toMatchObject({ jobs: { apply: { steps: expect.any(Array) } }, permissions: { 'id-token': 'write' } });
  const apply = (await programFor(['apply'])).commands.find((command) => command.name() === 'apply');
  const known = apply?.options.flatMap(({ short, long }) => [short, long]) ?? [];
  const calls = [/args: (\[.*\])/.exec(hook)?.[1] ?? '', /belay" (apply .*)/.exec(actions)?.[1] ?? ''];
  const used = calls.flatMap((call) => [...call.matchAll(/(?<=["' ])--?[a-z][a-z-]*/g)].map(([option]) => option));
  expect(used).toEqual(['-f', '--wait', '-f', '--dry-run']);
  expect(used.filter((option) => !known.includes(option))).toEqual([]);
});
