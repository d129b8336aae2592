/** A recording says what was asked and answered, and not whose it is. */
import { describe, expect, test } from 'vitest';
import { redactAll } from '../../activities/observe/conformance/recording.ts';
import { DISPOSABLE } from './scenario.ts';
import { openTwin } from './support.ts';

describe('a recording', () => {
  test('replaces the same by the same, and keeps what checks are about', () => {
    const arn = 'arn:aws:iam::111122223333:role/acme';
    const said = redactAll({
      cluster: { name: 'acme-prod', roleArn: arn, status: 'ACTIVE', certificateAuthority: { data: 'MIIC' } },
      message: `acme-prod: ${arn} may not do it from 10.1.2.3`,
      addonName: 'coredns',
      data: { password: 'hunter2' },
      clientRequestToken: 'one',
      again: { clientRequestToken: 'one' },
    });
    expect(said).toEqual({
      cluster: { name: 'name-1', roleArn: 'arn-1', status: 'ACTIVE', certificateAuthority: '[redacted]' },
      message: 'name-1: arn-1 may not do it from address-1',
      addonName: 'coredns',
      data: '[redacted]',
      clientRequestToken: 'secret-1',
      again: { clientRequestToken: 'secret-1' },
    });
  });

  test('of a whole run has no account, name, address or token in it', async () => {
    const twin = await openTwin(DISPOSABLE);
    try {
      const only = ['EKS-ARN', 'STS-CALLER', 'EC2-SUBNETS', 'K8S-SELECTORS', 'EKS-NODEGROUP-LABEL', 'EKS-TAGS', 'EKS-MISSING-ADDON'];
      const { recording = '' } = await twin.run({ record: true, disposable: true, only });
      const { exchanges }: { exchanges: { service: string; operation: string; status?: number }[] } = JSON.parse(recording);
      const operations = exchanges.map(({ operation }) => operation);
      expect(operations).toEqual(expect.arrayContaining(['DescribeCluster', 'GetCallerIdentity', 'DescribeSubnets', 'TagResource']));
      expect(exchanges.find(({ operation }) => operation === 'DescribeAddon')?.status).toBe(404);
      for (const mine of ['111122223333', '"disposable"', 'alex', '127.0.0.1', 'subnet-0', 'k8s-aws-v1', 'eu-central-1.compute.internal'])
        expect(recording).not.toContain(mine);
    } finally {
      await twin.close();
    }
  });
});
