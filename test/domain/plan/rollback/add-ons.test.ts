/** How add-ons go down before a control plane does. */
import { expect, test } from 'vitest';
import { changesBack } from '../../../../domain/plan/rollback/add-ons.ts';
import { addOn } from '../../../support/facts.ts';

const at = { major: 1, minor: 33 };
const backTo = { major: 1, minor: 32 };
const offered = (versions: string[]) => versions.map((version) => ({ version, isDefault: false }));
const THREE = ['v3.3.1-eksbuild.1', 'v3.2.9-eksbuild.1', 'v3.2.0-eksbuild.1', 'v3.1.5-eksbuild.1'];

test.each([
  ['vpc-cni', ['v3.3.1-eksbuild.1 → v3.2.9-eksbuild.1', 'v3.2.9-eksbuild.1 → v3.1.5-eksbuild.1']],
  ['coredns', ['v3.3.1-eksbuild.1 → v3.1.5-eksbuild.1']],
])('%s: only vpc-cni stops at the minors between', (name, changes) => {
  const installed = addOn(name, 'v3.3.1-eksbuild.1', { offered: { '1.33': offered(THREE), '1.32': offered(['v3.1.5-eksbuild.1']) } });
  expect(changesBack([installed], at, backTo).map(({ from, to }) => `${from} → ${to}`)).toEqual(changes);
});
