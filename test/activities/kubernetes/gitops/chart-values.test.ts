/** Values of charts: changed at single places, in whichever of its three ways an Application says them, and shown without what may be secret. */
import { expect, test } from 'vitest';
import {
  changeLines,
  edited,
  editedSection,
  type HelmSection,
  valuesOfSection,
} from '../../../../activities/kubernetes/gitops/chart-values.ts';
import { fits, says, writtenFor } from '../../../../activities/kubernetes/gitops/wanted-version.ts';
import type { ValueEdit } from '../../../../activities/contract/delivery.ts';

const EDITS: ValueEdit[] = [{ path: ['revision'], value: '1-28' }, { path: ['revisionTags'] }, { path: ['pilot', 'tag'] }];

test.each<[string, Record<string, unknown>, Record<string, unknown>, string[]]>([
  ['nothing there', {}, { revision: '1-28' }, ['revision: not set → 1-28']],
  [
    'all there, and more',
    { revision: '1-26', revisionTags: ['prod'], pilot: { tag: '1.26.2', env: { A: '1' } }, password: 'x' },
    { revision: '1-28', pilot: { env: { A: '1' } }, password: 'x' },
    ['revision: 1-26 → 1-28', 'revisionTags: ["prod"] → not set', 'pilot.tag: 1.26.2 → not set'],
  ],
  [
    'a map that only held the pin goes too',
    { pilot: { tag: '1.26.2' } },
    { revision: '1-28' },
    ['revision: not set → 1-28', 'pilot.tag: 1.26.2 → not set'],
  ],
  ['an empty map stays', { revision: '1-28', pilot: {} }, { revision: '1-28', pilot: {} }, []],
])('a map: %s', (_title, before, after, lines) => {
  const copy = structuredClone(before);
  expect(edited(before, EDITS)).toEqual(after);
  expect(changeLines(before, EDITS)).toEqual(lines);
  expect(before).toEqual(copy);
});

test.each<[string, HelmSection, HelmSection]>([
  ['no values at all', { releaseName: 'mesh' }, { releaseName: 'mesh', valuesObject: { revision: '1-28' } }],
  [
    'valuesObject',
    { valuesObject: { revision: '1-26', pilot: { tag: 'x', replicaCount: 2 } } },
    { valuesObject: { revision: '1-28', pilot: { replicaCount: 2 } } },
  ],
  [
    'text, whose comments and other lines stay',
    { values: '# ours\nrevision: 1-26 # the old one\nmeshConfig:\n  trustDomain: a.b # do not touch\nrevisionTags:\n  - prod\n' },
    { values: '# ours\nrevision: 1-28 # the old one\nmeshConfig:\n  trustDomain: a.b # do not touch\n' },
  ],
  [
    'parameters, which win over all else',
    {
      valuesObject: { revision: '1-20' },
      parameters: [
        { name: 'revision', value: '1-26' },
        { name: 'pilot.tag', value: 'x' },
        { name: 'a', value: 'b' },
      ],
    },
    {
      valuesObject: { revision: '1-20' },
      parameters: [
        { name: 'a', value: 'b' },
        { name: 'revision', value: '1-28' },
      ],
    },
  ],
  ['a list among the parameters', { parameters: [{ name: 'revisionTags[0]', value: 'prod' }] }, { valuesObject: { revision: '1-28' } }],
])('an Application’s values: %s', (_title, before, after) => {
  const section = editedSection(before, EDITS);
  expect(section).toEqual(after);
  expect(valuesOfSection(section)).toMatchObject({ revision: '1-28' });
  // A second time nothing changes.
  expect(editedSection(section, EDITS)).toEqual(section);
});

test.each([
  ['1.28', '~1.28.0', '1.28.4+4d1f0a5c9b2e', true],
  ['1.28', '~1.28.0', '1.27.9', false],
  ['1.28.3', '1.28.3', '1.28.3', true],
  ['1.28.3', '1.28.3', '1.28.4', false],
])('wanted %s is written %s; %s fits: %s', (wanted, written, version, fit) => {
  expect([writtenFor(wanted), says(written, wanted), fits(version, wanted)]).toEqual([written, true, fit]);
});
