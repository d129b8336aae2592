/** v1alpha5 → v1beta1 on Karpenter's own examples: the files in golden/ were reviewed field by field against the migration guide. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
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

  test('classes that name neither a role nor a profile are asked about, the others are not', () => {
    const asked = files.filter(({ objects }) => objects.some((each) => each.questions.length > 0)).map(({ path }) => path);
    const profiles = SOURCES.filter(({ text }) => text.includes('instanceProfile:')).map(({ path }) => path);
    expect(asked).toEqual(SOURCES.map(({ path }) => path).filter((path) => !profiles.includes(path)));
    expect(profiles).toEqual(['al2-custom-ami.yaml', 'al2-custom-userdata.yaml', 'br-custom-userdata.yaml', 'custom-family.yaml']);
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
