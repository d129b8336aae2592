/** Add-ons at the end: whether EKS offers what is installed for the target, and what to do where it does not say. */
import { expect, test } from 'vitest';
import { checkAddOnsAtTarget } from '../../../../activities/observe/checks/target.ts';
import type { AddOnFact } from '../../../../domain/facts/facts.ts';
import { addOn, healthyFacts } from '../../../support/facts.ts';

const INSTALLED = 'v1.12.3-eksbuild.1';
const UNSEEN = {
  status: 'unknown',
  message: `Whether coredns ${INSTALLED} is valid on 1.34 cannot be seen.`,
  resources: ['coredns'],
  remediation: 'Allow eks:DescribeAddonVersions, or read its release notes.',
};

test.each<[what: string, Partial<AddOnFact>, object[]]>([
  ['offered for it', {}, [{ status: 'pass', message: `coredns ${INSTALLED} is valid on 1.34.` }]],
  [
    'others are the default',
    { version: 'v1.11.3-eksbuild.1' },
    [
      {
        status: 'fail',
        message: 'coredns v1.11.3-eksbuild.1 is not valid on 1.34.',
        resources: ['coredns'],
        remediation: `Update it to ${INSTALLED}.`,
      },
    ],
  ],
  [
    'none is the default: the newest is named',
    { offered: { '1.34': [{ version: 'v1.13.1-eksbuild.1', isDefault: false }] } },
    [{ status: 'fail', remediation: 'Update it to v1.13.1-eksbuild.1.' }],
  ],
  ['nothing is known of the target', { offered: { '1.33': [{ version: INSTALLED, isDefault: true }] } }, [UNSEEN]],
  ['an empty list is no list', { offered: { '1.34': [] } }, [UNSEEN]],
  ['not managed by EKS', { managed: false }, []],
])('an add-on: %s', (_what, change, are) => {
  const facts = healthyFacts({ addOns: [addOn('coredns', INSTALLED, change)] });
  expect(checkAddOnsAtTarget(facts, '1.34')).toMatchObject(are);
});
