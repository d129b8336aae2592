/** Upgrade documents as people write them: every slip is named with file, line and fix, before anything is started. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readUpgrades } from '../../../cli/shared/upgrade-files.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { parseUpgrades } from '../../../worker/config/upgrade-file.ts';
import { failure, rejection } from '../../support/thrown.ts';

const HEAD = 'apiVersion: belay.dev/v1alpha1\nkind: Upgrade\n';
const upgrade = (cluster: string, target = '"1.34"'): string =>
  `${HEAD}metadata:\n  name: ${cluster}\nspec:\n  cluster: ${cluster}\n  target: ${target}\n`;
const CONFIG = parseConfig(
  'clusters:\n  prod: { region: eu-west-1, account: "111122223333" }\n  dev: { region: eu-west-1, account: "111122223333" }\n',
  'belay.yaml',
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-upgrades-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const problem = async (...files: string[]): Promise<string> =>
  messageOf(await rejection(readUpgrades(files, CONFIG))).replaceAll(`${folder}/`, '');

test('several documents and several files, with what tools add to metadata', async () => {
  const annotated = `# two clusters\n---\n${HEAD}metadata: { name: dev, namespace: ops, labels: { team: a }, annotations: { ticket: "CHG-1" } }\nspec: { cluster: dev, target: 1.33, strategy: every-hop }\n---\n`;
  const found = await readUpgrades([file('dev.yaml', annotated), file('prod.yaml', upgrade('prod'))], CONFIG);
  expect(found.map((each) => ({ ...each, at: each.at.replace(`${folder}/`, '') }))).toEqual([
    { name: 'dev', cluster: 'dev', target: '1.33', strategy: 'every-hop', at: 'dev.yaml:3' },
    { name: 'prod', cluster: 'prod', target: '1.34', at: 'prod.yaml:1' },
  ]);
});

describe('what is not an Upgrade', () => {
  test.each<[string, string, string]>([
    [
      'a misspelt key',
      upgrade('prod').replace('target', 'targt'),
      'u:5: spec.target: is missing; write a Kubernetes minor in quotes, such as "1.34"\nu:7: spec.targt: unknown key; did you mean "target"?',
    ],
    [
      'a key of a run’s policy',
      `${upgrade('prod')}  approve: true\n`,
      'u:8: spec.approve: unknown key; there are cluster, target, strategy',
    ],
    ['another kind', upgrade('prod').replace('Upgrade', 'Deployment'), 'u:2: kind: "Deployment" is not valid; write Upgrade'],
    [
      'another version',
      upgrade('prod').replace('v1alpha1', 'v1'),
      'u:1: apiVersion: "belay.dev/v1" is not valid; write belay.dev/v1alpha1',
    ],
    [
      'a version that lost its zero',
      upgrade('prod', '1.30'),
      'u:7: spec.target: 1.3 is not valid; write a Kubernetes minor in quotes, such as "1.34"',
    ],
    [
      'a patch version',
      upgrade('prod', '1.34.2'),
      'u:7: spec.target: "1.34.2" is not valid; write a Kubernetes minor in quotes, such as "1.34"',
    ],
    [
      'a strategy that is none',
      `${upgrade('prod')}  strategy: fast\n`,
      'u:8: spec.strategy: "fast" is not valid; write every-hop or once-at-the-end',
    ],
    ['no spec', `${HEAD}metadata: { name: prod }\n`, 'u:1: spec: is missing; write cluster: and target: below it'],
    [
      'a name that is none',
      upgrade('Prod'),
      'u:4: metadata.name: "Prod" is not valid; write a name of lower-case letters, digits and dashes, such as prod-to-1-34',
    ],
    ['text', 'prod to 1.34', 'u:1: "prod to 1.34" is not a group of settings; write key: value lines below it'],
    ['nothing', '# later\n', 'u: holds no Upgrade; docs/upgrade.md shows one'],
    [
      'no YAML',
      `${HEAD}metadata: { name: prod\n`,
      'u:4: not valid YAML: Flow map in block collection must be sufficiently indented and end with a }',
    ],
    ['a key twice', `${upgrade('prod')}  target: "1.33"\n`, 'u:8: not valid YAML: Map keys must be unique'],
    [
      'the second document',
      `${upgrade('prod')}---\n${upgrade('dev').replace('cluster:', 'clutser:')}`,
      'u:13: spec.cluster: is missing; write the name of a cluster in belay.yaml\nu:14: spec.clutser: unknown key; did you mean "cluster"?',
    ],
  ])('%s', (_what, text, message) => {
    expect(failure(() => parseUpgrades(text, 'u'))).toBe(message);
  });

  test('aliases that unfold without end', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`),
    ];
    expect(failure(() => parseUpgrades(bomb.join('\n'), 'u'))).toBe('u: has more aliases than an Upgrade needs; write the values out');
  });
});

describe('files that contradict belay.yaml or each other', () => {
  test.each<[string, () => string[], string]>([
    ['no file', () => [], 'Which file? Use belay apply -f upgrade.yaml, or -f - to read stdin.'],
    ['a file that is not there', () => [join(folder, 'no.yaml')], '-f no.yaml: no such file; docs/upgrade.md shows how to write one.'],
    ['a folder', () => [folder], '-f FOLDER cannot be read (EISDIR); check its permissions.'],
    ['stdin twice', () => ['-', '-'], '-f - was given twice, but stdin can be read only once. Leave out one of them.'],
    [
      'a large file',
      () => [file('large.yaml', '#'.repeat(1024 * 1024 + 1))],
      '-f large.yaml has more than 1 MiB; name a file of Upgrade documents.',
    ],
    [
      'an unknown cluster',
      () => [file('prd.yaml', upgrade('prd'))],
      'prd.yaml:1: spec.cluster: belay.yaml: no cluster "prd"; did you mean "prod"? There are: prod, dev',
    ],
    [
      'one cluster twice',
      () => [file('one.yaml', upgrade('prod')), file('two.yaml', upgrade('prod', '"1.33"'))],
      'two.yaml:1: spec.cluster: prod already has an Upgrade at one.yaml:1; keep one of them.',
    ],
  ])('%s', async (_what, files, message) => {
    expect((await problem(...files())).replace(folder, 'FOLDER')).toBe(message);
  });
});
