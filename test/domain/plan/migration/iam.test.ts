/** Policies of Karpenter's controller: what a newer one may not do by them, and which statement is in the way. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkKarpenterPolicy } from '../../../../domain/plan/migration/iam.ts';

const TEXT = readFileSync(new URL('../../../cli/migrate/examples/iam/karpenter-0.32.json', import.meta.url), 'utf8');
const EKS = 'eks:eks-cluster-name';

interface Statement {
  Sid: string;
  Effect: string;
  Action: string | string[];
  Resource: string | string[];
  Condition?: Record<string, Record<string, unknown>>;
}
/** The policy of 0.32 with one thing changed. */
function policy(change: (statements: Statement[]) => Statement[] = (all) => all): object {
  const document: { Statement: Statement[] } = JSON.parse(TEXT);
  return { ...document, Statement: change(document.Statement) };
}
const without = (sid: string) => (all: Statement[]) => all.filter(({ Sid }) => Sid !== sid);
const named = (sid: string, edit: (statement: Statement) => void) => (all: Statement[]) => {
  const found = all.find(({ Sid }) => Sid === sid);
  if (found === undefined) throw new Error(`the policy has no ${sid}`);
  edit(found);
  return all;
};

describe('Karpenter’s own policy of 0.32', () => {
  test('has all that 0.32 needs', () => {
    expect(checkKarpenterPolicy(policy(), 'v1beta1')).toEqual({ gaps: [], before: [] });
  });

  test('does not let 1.0 tag instances that run', () => {
    expect(checkKarpenterPolicy(policy(), 'v1')).toEqual({
      gaps: [
        {
          action: 'ec2:CreateTags',
          resource: 'instance',
          why: `AllowScopedResourceCreationTagging: wants the tag kubernetes.io/cluster/X in the request, only as something is made, wants the tag karpenter.sh/nodepool in the request; AllowScopedResourceTagging: does not allow the tag ${EKS}`,
        },
      ],
      before: [],
    });
  });

  test('with that tag allowed has all that 1.0 needs', () => {
    const wider = named('AllowScopedResourceTagging', ({ Condition }) => {
      Object.assign(Condition ?? {}, { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name', 'karpenter.sh/nodeclaim', EKS] } });
    });
    expect(checkKarpenterPolicy(policy(wider), 'v1')).toEqual({ gaps: [], before: [] });
  });
});

test('a policy that wants the tag of 1.0 keeps 0.3x from making instances: it stands beside the old one', () => {
  const scoped = named('AllowScopedEC2InstanceActionsWithTags', ({ Condition }) => {
    Object.assign(Condition?.['StringEquals'] ?? {}, { [`aws:RequestTag/${EKS}`]: 'X' });
  });
  expect(checkKarpenterPolicy(policy(scoped), 'v1').before).toEqual(
    ['ec2:RunInstances on instance', 'ec2:CreateFleet on fleet', 'ec2:CreateLaunchTemplate on launch-template'].map((each) => {
      const [action, resource] = each.split(' on ');
      return {
        action,
        resource,
        why: expect.stringContaining(`AllowScopedEC2InstanceActionsWithTags: wants the tag ${EKS} in the request`),
      };
    }),
  );
});

describe('what a document can have', () => {
  const gaps = (document: object): string[] => checkKarpenterPolicy(document, 'v1beta1').gaps.map(({ action, why }) => `${action}: ${why}`);

  test('a statement that is missing', () => {
    expect(gaps(policy(without('AllowPricingReadActions')))).toEqual(['pricing:GetProducts: no statement allows it']);
  });

  test('wildcards, in any case, and one statement instead of a list', () => {
    expect(
      gaps({
        Statement: { Effect: 'Allow', Action: ['EC2:*', 'iam:*nstance?rofile', 'iam:Pass*', 'ssm:*', 'pricing:*', 'eks:*'], Resource: '*' },
      }),
    ).toEqual([]);
  });

  test('a denial goes before every permission', () => {
    const deny = { Sid: 'NoPricing', Effect: 'Deny', Action: 'pricing:*', Resource: '*' };
    expect(gaps(policy((all) => [...all, deny]))).toEqual(['pricing:GetProducts: NoPricing denies it']);
  });

  test('an action on other kinds of resources only', () => {
    const narrow = named('AllowScopedDeletion', (statement) => void (statement.Resource = 'arn:aws:ec2:*:*:launch-template/*'));
    expect(gaps(policy(narrow))).toEqual(['ec2:TerminateInstances: no statement allows it']);
  });

  test('tags of v1alpha5 in the conditions', () => {
    const old = named('AllowScopedDeletion', (statement) => {
      statement.Condition = { StringLike: { 'aws:ResourceTag/karpenter.sh/provisioner-name': '*' } };
    });
    const why = 'AllowScopedDeletion: wants the tag karpenter.sh/provisioner-name on the resource';
    expect(gaps(policy(old))).toEqual([`ec2:TerminateInstances: ${why}`, `ec2:DeleteLaunchTemplate: ${why}`]);
  });

  test.each([[{}], [[]], [{ Statement: [{ Sid: 'x' }] }]])('no policy at all: %j', (document) => {
    expect(() => checkKarpenterPolicy(document, 'v1')).toThrow('this is no IAM policy document: it has no Statement with an Effect');
  });
});
