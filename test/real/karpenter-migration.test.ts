/**
 * `belay migrate karpenter` is held to Karpenter: its own conversion code is the oracle, its own CRDs on a real API server are the judge.
 * Objects are compared as the server would keep them, so that defaults of either version are no difference.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { migrateFiles } from '../../cli/migrate/karpenter-files.ts';
import { readCheckout } from '../../cli/migrate/read-checkout.ts';
import { applyEdits, type Manifest, type Path } from '../../domain/plan/migration/edit.ts';
import type { Step } from '../../domain/plan/migration/names.ts';
import { HARD } from './support/karpenter-cases.ts';
import { answered, comparable, DIFFERENCES, withWantedDifferences } from './support/karpenter-differences.ts';
import { type Judge, openJudge } from './support/karpenter-judge.ts';
import type { SourceFile } from '../../cli/migrate/handmade.ts';

const LIMIT_MS = 900_000;
const examples = (version: string): SourceFile[] =>
  readCheckout(fileURLToPath(new URL(`../cli/migrate/examples/${version}`, import.meta.url)));

let judge: Judge;
beforeAll(async () => void (judge = await openJudge()), LIMIT_MS);
afterAll(() => judge?.close());

const objectsOf = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document): Manifest => document.toJS())
    .filter((object) => object !== null);

const admitAll = (objects: readonly Manifest[]): Promise<Manifest[]> => Promise.all(objects.map((object) => judge.admit(object)));

/** What `belay migrate` makes of a file, with the answers that it asks for. */
function migrated(file: SourceFile, step: Step): Manifest[] {
  const { files, added } = migrateFiles([file], step);
  return [...files.flatMap(({ after }) => objectsOf(after)), ...added.map(({ object }) => object)].map(answered);
}

const POOL: Manifest = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'broken' },
  spec: {
    template: { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'a' }, requirements: [] } },
    disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '1m' },
  },
};
const edited = (path: Path, value?: unknown): Manifest =>
  applyEdits(POOL, [value === undefined ? { op: 'remove', path, why: '' } : { op: 'set', path, value, why: '' }]);

/** What a migration by hand gets wrong: the judge has to see it. */
const REFUSED: { title: string; object: Manifest; why: RegExp }[] = [
  {
    title: 'a node class without its group',
    object: edited(['spec', 'template', 'spec', 'nodeClassRef', 'group']),
    why: /nodeClassRef.group/,
  },
  {
    title: 'consolidation without its time',
    object: edited(['spec', 'disruption', 'consolidateAfter']),
    why: /consolidateAfter: Required/,
  },
  {
    title: 'a policy by its old name',
    object: edited(['spec', 'disruption', 'consolidationPolicy'], 'WhenUnderutilized'),
    why: /Unsupported value/,
  },
  {
    title: 'an expiry in its old place',
    object: edited(['spec', 'disruption', 'expireAfter'], '720h'),
    why: /unknown field "spec.disruption.expireAfter"/,
  },
  {
    title: 'kubelet settings in the pool',
    object: edited(['spec', 'template', 'spec', 'kubelet'], { maxPods: 9 }),
    why: /unknown field "spec.template.spec.kubelet"/,
  },
];

describe('v1beta1 → v1', () => {
  const cases: SourceFile[] = [...examples('v1beta1'), ...HARD];
  /** What Karpenter 1.0 itself makes of the objects of each case. */
  const theirs = new Map<string, Manifest[]>();
  const converted: Manifest[][] = [];

  beforeAll(async () => {
    await judge.serve('1.0', 'v1beta1');
    for (const { path, text } of cases) {
      const before = await Promise.all(objectsOf(text).map((object) => judge.admit(object)));
      const after = await judge.convert(before);
      converted.push(after);
      theirs.set(path, withWantedDifferences(after));
    }
    await judge.serve('1.0', 'v1');
  }, LIMIT_MS);

  test('there are more than ten public manifests', () => {
    expect(examples('v1beta1').length).toBeGreaterThan(10);
  });

  test.each(cases)('$path', async ({ path, text }) => {
    expect(comparable(await admitAll(migrated({ path, text }, 'v1')))).toEqual(comparable(await admitAll(theirs.get(path) ?? [])));
  });

  test.each(DIFFERENCES)('a wanted difference is met: $why', ({ edits }) => {
    const met = converted.some((objects) => objects.some((object) => edits(object, objects).length > 0));
    expect(met).toBe(true);
  });

  test.each(REFUSED)('refused: $title', async ({ object, why }) => {
    await expect(judge.admit(object)).rejects.toThrow(why);
  });

  test(
    'the newest Karpenter takes all of it as well',
    async () => {
      await judge.serve('1.14', 'v1');
      for (const file of cases) await admitAll(migrated(file, 'v1'));
    },
    LIMIT_MS,
  );
});

describe('v1alpha5 → v1beta1 → v1', () => {
  /** Two of the examples name an AMI that can be none; Belay says so, and so does the server. */
  const [mistaken, sound] = [true, false].map((bad) => examples('v1alpha5').filter(({ text }) => text.includes('ami456') === bad));
  const objectsAt = (step: Step): Manifest[][] =>
    (sound ?? []).map((file) => {
      const beta = migrated(file, 'v1beta1');
      return step === 'v1beta1' ? beta : migrated({ path: file.path, text: beta.map((object) => stringify(object)).join('---\n') }, step);
    });

  test.each(['v1beta1', 'v1'] as const)(
    'the server takes all that became %s',
    async (step) => {
      await judge.serve('1.0', step);
      const all = objectsAt(step);
      expect(all.length).toBeGreaterThan(10);
      for (const objects of all) await admitAll(objects);
    },
    LIMIT_MS,
  );

  test(
    'what the server refuses had been asked about',
    async () => {
      await judge.serve('1.0', 'v1beta1');
      expect(mistaken?.map(({ path }) => path)).toEqual(['al2-custom-ami.yaml', 'custom-family.yaml']);
      for (const file of mistaken ?? []) {
        await expect(admitAll(migrated(file, 'v1beta1'))).rejects.toThrow('spec.amiSelectorTerms[1].id: Invalid value: "ami456"');
        expect(migrateFiles([file], 'v1beta1').files[0]?.objects[1]?.questions).toEqual([
          'spec.amiSelectorTerms names ami456, which is no id: v1beta1 refuses it.',
        ]);
      }
    },
    LIMIT_MS,
  );
});
