/** How the services around EKS refuse on the wire: XML of the query protocol, EC2's own XML, JSON 1.1. Their SDKs are held to it in test/real/aws. */
import { afterEach, describe, expect, test } from 'vitest';
import { signedFor } from './eks/refusal.ts';
import { openTwin, type Twin } from '../support.ts';

let twin: Twin;
afterEach(() => twin.close());

/** Sends one request; the id of the request is always another one. */
async function ask(service: string, request: { body: string; target?: string }) {
  twin = await openTwin('small');
  const response = await fetch(twin.aws.url, {
    method: 'POST',
    headers: {
      authorization: signedFor(service),
      'content-type': request.target === undefined ? 'application/x-www-form-urlencoded' : 'application/x-amz-json-1.1',
      ...(request.target === undefined ? {} : { 'x-amz-target': request.target }),
    },
    body: request.body,
  });
  const body = (await response.text()).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, 'ID');
  return { status: response.status, type: response.headers.get('content-type'), body };
}

describe('query services answer in XML', () => {
  test.each([
    [
      'iam',
      'Action=GetRole&Version=2010-05-08&RoleName=nobody',
      404,
      '<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type><Code>NoSuchEntity</Code><Message>The role with name nobody cannot be found.</Message></Error><RequestId>ID</RequestId></ErrorResponse>',
    ],
    [
      'autoscaling',
      'Action=Nothing&Version=2011-01-01',
      400,
      '<ErrorResponse xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><Error><Type>Sender</Type><Code>InvalidAction</Code><Message>Could not find operation Nothing for version 2011-01-01</Message></Error><RequestId>ID</RequestId></ErrorResponse>',
    ],
    [
      'sts',
      'Action=AssumeRole&Version=2011-06-15&RoleArn=%3Cnobody%3E&RoleSessionName=x',
      400,
      '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>ValidationError</Code><Message>&lt;nobody&gt; is invalid</Message></Error><RequestId>ID</RequestId></ErrorResponse>',
    ],
  ])('%s', async (service, body, status, expected) => {
    expect(await ask(service, { body })).toEqual({ status, type: 'text/xml', body: expected });
  });
});

test('EC2 answers in XML of its own', async () => {
  expect(await ask('ec2', { body: 'Action=DescribeSubnets&Version=2016-11-15&SubnetId.1=subnet-1' })).toEqual({
    status: 400,
    type: 'text/xml;charset=UTF-8',
    body: '<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>InvalidSubnetID.NotFound</Code><Message>The subnet ID &apos;subnet-1&apos; does not exist</Message></Error></Errors><RequestID>ID</RequestID></Response>',
  });
});

describe('JSON services name the error in the body', () => {
  test.each([
    ['kms', 'TrentService.DescribeKey', { KeyId: 'x' }, { __type: 'NotFoundException', message: "Key 'x' does not exist" }],
    ['ssm', 'AmazonSSM.GetParameter', { Name: '/x' }, { __type: 'ParameterNotFound', message: '' }],
    [
      'servicequotas',
      'ServiceQuotasV20190624.GetServiceQuota',
      { ServiceCode: 'eks', QuotaCode: 'L-0' },
      { __type: 'NoSuchResourceException', Message: 'The request failed because the specified quota does not exist.' },
    ],
  ])('%s', async (service, target, input, expected) => {
    const { status, type, body } = await ask(service, { target, body: JSON.stringify(input) });
    expect([status, type, JSON.parse(body)]).toEqual([400, 'application/x-amz-json-1.1', expected]);
  });
});
