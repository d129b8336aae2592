/** Which minors of the VPC CNI a change passes over: it moves by one at a time. */
import { expect, test } from 'vitest';
import type { AddOnFact } from '../../../domain/facts/facts.ts';
import { skippedCniMinors } from '../../../domain/facts/add-on-versions.ts';

const versions = ['v1.21.0-eksbuild.1', 'v1.20.1-eksbuild.1', 'v1.20.0-eksbuild.1', 'v1.19.5-eksbuild.1', 'v1.18.5-eksbuild.1', 'preview'];
const CNI: AddOnFact = {
  name: 'vpc-cni',
  version: 'v1.18.5-eksbuild.1',
  managed: true,
  status: 'ACTIVE',
  healthIssues: [],
  offered: { '1.33': versions.map((version) => ({ version, isDefault: false })) },
};

test.each<[string, string, string, number, string[]]>([
  ['the next minor passes over none', 'v1.18.5-eksbuild.1', 'v1.19.5-eksbuild.1', 33, []],
  ['three minors on: the two between, each once', 'v1.18.5-eksbuild.1', 'v1.21.0-eksbuild.1', 33, ['1.19', '1.20']],
  ['back, too, passes over none', 'v1.21.0-eksbuild.1', 'v1.18.5-eksbuild.1', 33, []],
  ['to what is no version: none can be named', 'v1.18.5-eksbuild.1', 'preview', 33, []],
  ['from what is no version: none can be named', 'preview', 'v1.21.0-eksbuild.1', 33, []],
  ['a minor for which nothing is known to be offered', 'v1.18.5-eksbuild.1', 'v1.21.0-eksbuild.1', 34, []],
])('%s', (_what, from, to, minor, skipped) => {
  expect(skippedCniMinors(CNI, from, to, { major: 1, minor })).toEqual(skipped);
});
