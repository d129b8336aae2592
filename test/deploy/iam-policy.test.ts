/** The IAM policy grants what the code sends to AWS, nothing less and nothing more. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isOptional, permissionsOf, SOURCE_IDS } from '../../domain/readiness/model/sources.ts';
import { sourcesIn, textOf } from './files.ts';

const policyShape = z.strictObject({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().regex(/^[A-Za-z0-9]+$/),
      Effect: z.literal('Allow'),
      Action: z.array(z.string().regex(/^[a-z0-9]+:[A-Za-z]+$/, 'no wildcards in actions')),
      Resource: z.union([z.literal('*'), z.array(z.string().startsWith('arn:aws:'))]),
      Condition: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string())]))).optional(),
    }),
  ),
});
const policy = policyShape.parse(JSON.parse(textOf('deploy/iam-policy.json')));
/** What only settings that are off by default need. */
const optional = policyShape.parse(JSON.parse(textOf('deploy/iam-policy-optional.json')));

/** Only where belay.yaml says nodeGroups.selfManaged: refresh. */
const selfManaged = policyShape.parse(JSON.parse(textOf('deploy/iam-policy-self-managed.json')));

const actionsOf = ({ Statement }: typeof policy): string[] => Statement.flatMap(({ Action }) => Action);
const granted = actionsOf(policy);

/** Anybody may always call it; it cannot even be denied. */
const FREE = ['sts:GetCallerIdentity'];
/** Only where records are in a bucket, which `belay permissions` then prints: test/domain/policy/permissions/records.test.ts. */
const TO_RECORDS = /^s3:/;
/** AWS asks it of whoever names a role in UpdateAddon. */
const ROLES_OF_ADD_ONS = ['iam:PassRole'];
/** AWS asks these of whoever sets a launch template version on a group; each under a condition. */
const ASKED_BY_AWS = ['ec2:RunInstances', 'ec2:CreateTags', 'iam:PassRole'];
/** And this of whoever names Amazon's images in a template by a parameter: it reads what is public. */
const OF_PARAMETERS = ['ssm:GetParameters'];
/** `belay conformance --disposable`, on a cluster made for throwing away, as its administrator. */
const ON_DISPOSABLE_CLUSTERS = /^activities\/observe\/conformance\/\w+-changes\.ts$/;
/** Plain requests, signed by activities/clients/metrics/sigv4.ts. */
const SIGNED_BY_HAND = ['aps:QueryMetrics', 'aps:ListAlertManagerAlerts'];

/** API operations by the commands and paginators that the sources import from the AWS SDK. */
function sent(): string[] {
  const sources = sourcesIn('activities', 'worker', 'cli', 'client', 'render', 'slack').filter(
    ({ path }) => !ON_DISPOSABLE_CLUSTERS.test(path),
  );
  const operations = sources.flatMap(({ text }) =>
    [...text.matchAll(/import (?!type )\{([^}]*)\} from '@aws-sdk\/client-([a-z0-9-]+)'/g)].flatMap(([, names = '', service = '']) =>
      names.split(',').flatMap((name) => {
        const operation = /^\s*(?:([A-Z]\w+)Command|paginate([A-Z]\w+))\s*$/.exec(name);
        return operation === null ? [] : [`${service.replace('-', '')}:${operation[1] ?? operation[2] ?? ''}`];
      }),
    ),
  );
  return [...new Set(operations)].filter((operation) => !FREE.includes(operation) && !TO_RECORDS.test(operation)).sort();
}

describe('deploy/iam-policy.json', () => {
  test('RS7: grants every operation that the code sends, and no other', () => {
    expect(sent()).toContain('eks:UpdateClusterVersion');
    expect([...granted, ...actionsOf(optional), ...actionsOf(selfManaged)].sort()).toEqual(
      [...sent(), ...ROLES_OF_ADD_ONS, ...ASKED_BY_AWS, ...OF_PARAMETERS, ...SIGNED_BY_HAND].sort(),
    );
    const open = selfManaged.Statement.filter(({ Condition }) => Condition === undefined);
    expect(open.flatMap(({ Action }) => Action).filter((action) => !/:Describe/.test(action))).toEqual(OF_PARAMETERS);
  });

  test('grants what readiness reads without an optional role', () => {
    const base = SOURCE_IDS.filter((id) => !isOptional(id));
    expect(permissionsOf(base).iam.filter((action) => !granted.includes(action))).toEqual([]);
  });

  test('names every action once', () => {
    expect(granted).toEqual([...new Set(granted)]);
  });

  test('grants nothing that destroys, creates, or gives rights away', () => {
    expect(
      granted.filter((action) => /:(Delete|Create|Deregister|Disassociate|Associate|Terminate|Pass|Put|Attach|Assume)/.test(action)),
    ).toEqual(ROLES_OF_ADD_ONS);
    const passing = policy.Statement.filter(({ Action }) => Action.includes('iam:PassRole'));
    expect(passing.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [ROLES_OF_ADD_ONS, { StringEquals: { 'iam:PassedToService': 'eks.amazonaws.com' } }],
    ]);
  });

  test('changes are bound to EKS resources', () => {
    const changing = policy.Statement.filter(({ Action }) => Action.some((action) => /:(Update|Start)/.test(action)));
    expect(changing).toHaveLength(1);
    expect(changing[0]?.Resource).toEqual(expect.arrayContaining([expect.stringMatching(/^arn:aws:eks:/)]));
    expect(changing[0]?.Resource).not.toEqual(expect.arrayContaining([expect.not.stringMatching(/^arn:aws:eks:/)]));
  });
});
