/** Answers of EC2 that are scanned instead of parsed, and those that cannot be: nothing of them is lost. */
import { Readable } from 'node:stream';
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { scanning } from '../../../../../activities/clients/aws/account/scan-xml.ts';

const XML = `<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet><item><instancesSet><item>
<instanceId>i-1</instanceId><instanceType>m7g.large</instanceType></item></instancesSet></item></reservationSet></DescribeInstancesResponse>`;

async function typesIn(body: unknown): Promise<unknown[]> {
  const ec2 = scanning(
    new EC2Client({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example-secret' },
      requestHandler: { handle: () => Promise.resolve({ response: { statusCode: 200, headers: {}, body } }) } as never,
    }),
  );
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({}));
  return Reservations.flatMap(({ Instances = [] }) => Instances.map(({ InstanceType }) => InstanceType));
}

test.each([
  ['as it comes from the network', Readable.from([Buffer.from(XML)])],
  ['that is there already, for the SDK to parse', Buffer.from(XML)],
])('an answer %s', async (_what, body) => {
  expect(await typesIn(body)).toEqual(['m7g.large']);
});
