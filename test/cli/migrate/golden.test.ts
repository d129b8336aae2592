/** v1alpha5 → v1beta1 on Karpenter's own examples: the files in golden/ were reviewed field by field against the migration guide. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { migrateFiles } from '../../../cli/migrate/karpenter-files.ts';
import { readCheckout } from '../../../cli/migrate/read-checkout.ts';

const folder = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const SOURCES = readCheckout(folder('examples/v1alpha5'));

describe('v1alpha5 → v1beta1', () => {
  const { files, added, byHand, questions } = migrateFiles(SOURCES, 'v1beta1');

  test('all examples, and nothing else', () => {
    expect(files.map(({ path }) => path)).toEqual(SOURCES.map(({ path }) => path));
    expect({ added, byHand, questions }).toEqual({ added: [], byHand: [], questions: [] });
  });

  test.each(files)('$path', ({ path, after }) => {
    expect(after).toBe(readFileSync(join(folder('golden'), path), 'utf8'));
  });

  test('asked is what only the owner knows: the role, and what is meant by an id that is none', () => {
    const asked = new Map(files.map(({ path, objects }) => [path, objects.flatMap(({ questions: own }) => own)]));
    const profiles = SOURCES.filter(({ text }) => text.includes('instanceProfile:')).map(({ path }) => path);
    const mistaken = ['spec.amiSelectorTerms names ami456, which is no id: v1beta1 refuses it.'];
    expect(profiles.map((path) => [path, asked.get(path)])).toEqual([
      ['al2-custom-ami.yaml', mistaken],
      ['al2-custom-userdata.yaml', []],
      ['br-custom-userdata.yaml', []],
      ['custom-family.yaml', mistaken],
    ]);
    const others = [...asked].filter(([path]) => !profiles.includes(path));
    expect(others.map(([, own]) => own.length)).toEqual(others.map(() => 1));
    expect(others[0]?.[1][0]).toMatch(/^spec\.role is required: /);
  });
});

describe.each(['v1beta1', 'v1'] as const)('a second run to %s', (step) => {
  test('changes nothing', () => {
    const sources = step === 'v1' ? readCheckout(folder('examples/v1beta1')) : SOURCES;
    const once = migrateFiles(sources, step).files.map(({ path, after }) => ({ path, text: after }));
    expect(once.length).toBe(sources.length);
    expect(migrateFiles(once, step).files.filter(({ text, after }) => text !== after)).toEqual([]);
  });
});
