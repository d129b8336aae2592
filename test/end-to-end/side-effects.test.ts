/** What an upgrade changes beside what it is meant to change: nothing, and where something else does, the run stops and says what. */
import { expect, test } from 'vitest';
import { rehearsed } from './support/rehearsal.ts';

const LIMIT_MS = 720_000;

test(
  'RA1: add-ons with IAM roles have the same roles after an upgrade and its way back',
  async () => {
    const roles = new Map<string, string | undefined>();
    const run = await rehearsed({
      scenario: 'up-and-down',
      onBuilt: ({ eks }) => {
        for (const { name, serviceAccountRoleArn } of eks.addOns) roles.set(name, serviceAccountRoleArn);
      },
    });
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(roles.get('vpc-cni')).toBe('arn:aws:iam::111122223333:role/up-and-down-vpc-cni');
    expect(new Map(run.world.eks.addOns.map(({ name, serviceAccountRoleArn }) => [name, serviceAccountRoleArn]))).toEqual(roles);
    const updates = run.world.journal.mutations.filter(
      ({ operation, resource }) => operation === 'UpdateAddon' && resource === 'addon/vpc-cni',
    );
    expect(updates.length).toBeGreaterThan(0);
  },
  LIMIT_MS,
);

test.each([
  [
    'add-on.serviceAccountRoleArn',
    /Something else changed: add-on coredns: serviceAccountRoleArn/,
    /aws eks update-addon --cluster-name small --region eu-central-1 --addon-name coredns/,
  ],
  ['nodepool.limits', /Something else changed: nodepools default: spec\.limits\.cpu/, /kubectl patch nodepools default --type json/],
  [
    'cluster.endpointPublicAccess',
    /Something else changed: cluster small: resourcesVpcConfig\.endpointPublicAccess/,
    /aws eks update-cluster-config --name small --region eu-central-1/,
  ],
])(
  'with %s changed beside it, the step stops at a gate that says how to put it back',
  async (field, title, putBack) => {
    const run = await rehearsed({ scenario: 'small', faults: [`eks:side-effect=${field}`] });
    expect(run.report.outcome).toBe('completed');
    const gate = run.thread.find((message) => title.test(message));
    expect(gate).toMatch(putBack);
    // Once, and by a person who gave a reason.
    expect(gate).toMatch(/\bContinue\b/);
  },
  LIMIT_MS,
);
