/** Who signed a command: against the twin's STS, which looks at signature, headers and age as STS does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STSClient } from '@aws-sdk/client-sts';
import { createApproverActivities } from '../../../../activities/run/people/approvers.ts';
import type { PersonReader } from '../../../../activities/contract/ports.ts';
import { bindingOf, type Caller, readCaller } from '../../../../activities/run/people/aws-identity.ts';
import { callerIdentityEndpoint, presignCallerIdentity } from '../../../../activities/clients/aws/presigned-identity.ts';
import { redact } from '../../../../activities/runtime/redact.ts';
import { BINDING_HEADER } from '../../../../domain/gates/identity-proof.ts';
import type { People } from '../../../../domain/policy/identities.ts';
import { type Identity, IDENTITIES } from '../../../../rehearsal/aws/eks/identities.ts';
import { openTwin, type Twin } from '../../../rehearsal/support.ts';
import { CLUSTER, policy } from '../../../support/facts.ts';
import { SlackDeliveryError } from '../../../../slack/api/errors.ts';
import type { ApprovalPolicy } from '../../../../domain/gates/approvals.ts';

const WORDS = '["decide","prod"]';
const SAM_ARN = 'arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_PlatformEngineer_0a1b2c3d4e5f6789/sam@example.com';
const SSO = 'arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_PlatformEngineer_*';
const PEOPLE: People = { U0SAM: [`${SSO}/sam@example.com`], U0ALEX: [`${SSO}/alex@example.com`] };

let twin: Twin;
beforeAll(async () => {
  twin = await openTwin('small');
});
afterAll(() => twin.close());

const of = (name: string): Identity => IDENTITIES[name] ?? { accessKeyId: 'AKIANOBODY', secretAccessKey: 'x', session: '' };
const stsAs = (credentials: Pick<Identity, 'accessKeyId' | 'secretAccessKey'>, endpoint = twin.aws.url) =>
  new STSClient({ endpoint, region: 'eu-central-1', credentials });
const sign = (
  change: { as?: Pick<Identity, 'accessKeyId' | 'secretAccessKey'>; header?: Record<string, string>; at?: Date; expiresIn?: number } = {},
) =>
  presignCallerIdentity(stsAs(change.as ?? of('U0SAM')), {
    header: change.header ?? { [BINDING_HEADER]: bindingOf(WORDS) },
    at: change.at ?? new Date(),
    expiresIn: change.expiresIn ?? 60,
  });
const read = (proof: string, words = WORDS): Promise<Caller> =>
  readCaller({ region: 'eu-central-1', endpoint: () => callerIdentityEndpoint(stsAs(of('nobody'))) }, { proof, words });
const why = (caller: Caller): string => ('why' in caller ? caller.why : caller.arn);

describe('who signed a command', () => {
  test('is the ARN that STS names', async () => {
    expect(await read(await sign())).toEqual({ arn: SAM_ARN });
  });

  const later = (seconds: number) => new Date(Date.now() + seconds * 1000);
  test.each<[string, () => Promise<string>, string]>([
    [
      'bound to another message',
      () => sign({ header: { [BINDING_HEADER]: bindingOf('other') } }),
      'STS refuses the signature (SignatureDoesNotMatch)',
    ],
    ['bound to nothing', () => sign({ header: {} }), 'the request is not bound to this message'],
    ['a token for EKS', () => sign({ header: { 'x-k8s-aws-id': 'prod' } }), 'the request is not bound to this message'],
    ['with a header more', () => sign({ header: { [BINDING_HEADER]: bindingOf(WORDS), 'x-more': '1' } }), 'not bound'],
    ['a minute old', () => sign({ at: later(-61) }), 'it was signed more than 60 s ago; send the command again'],
    ['dated in the future', () => sign({ at: later(600) }), 'dated in the future'],
    ['with a date that is none', async () => (await sign()).replace(/X-Amz-Date=[^&]+/, 'X-Amz-Date=today'), 'dated in the future'],
    ['valid for an hour', () => sign({ expiresIn: 3600 }), 'valid for at most 60 s'],
    ['signed with a wrong secret', () => sign({ as: { ...of('U0SAM'), secretAccessKey: 'guessed' } }), 'SignatureDoesNotMatch'],
    ['of another call', async () => (await sign()).replace('GetCallerIdentity', 'GetSessionToken'), 'the request is no GetCallerIdentity'],
    ['with a parameter more', async () => `${await sign()}&RoleArn=x`, 'the request is no GetCallerIdentity'],
    ['with a parameter twice', async () => `${await sign()}&Action=GetCallerIdentity`, 'the request is no GetCallerIdentity'],
    ['to another path', async () => (await sign()).replace('/?', '/x?'), 'the request is no GetCallerIdentity'],
    [
      'to another host',
      async () => (await sign()).replace(/^http:\/\/[^/]+/, 'https://sts.example.com'),
      'for sts.example.com, not for STS of eu-central-1',
    ],
    [
      'to a host that looks like it',
      async () => (await sign()).replace(/^http:\/\//, 'http://sts.eu-central-1.amazonaws.com@'),
      'no GetCallerIdentity',
    ],
    ['no URL', async () => 'sam', 'the message carries no signed request'],
  ])('%s: refused', async (_what, make, message) => {
    const said = why(await read(await make()));
    expect(said).toContain(`Who you are could not be verified: `);
    expect(said).toContain(message);
    expect(said).not.toMatch(/Signature=|Credential=/);
  });

  test('is not known while STS cannot be reached', async () => {
    const gone = 'http://127.0.0.1:9';
    const proof = await presignCallerIdentity(stsAs(of('U0SAM'), gone), {
      header: { [BINDING_HEADER]: bindingOf(WORDS) },
      at: new Date(),
      expiresIn: 60,
    });
    const answer = await readCaller({ region: 'eu-central-1', endpoint: async () => new URL(gone) }, { proof, words: WORDS });
    expect(why(answer)).toContain('STS at 127.0.0.1:9 did not answer; try again');
  });

  test('is not known while STS fails, which is no refusal', async () => {
    const server = createServer((_request, response) => response.writeHead(503).end('<Code>ServiceUnavailable</Code>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const header = { [BINDING_HEADER]: bindingOf(WORDS) };
      const proof = await presignCallerIdentity(stsAs(of('U0SAM'), endpoint), { header, at: new Date(), expiresIn: 60 });
      const answer = await readCaller({ region: 'eu-central-1', endpoint: async () => new URL(endpoint) }, { proof, words: WORDS });
      expect(why(answer)).toBe('Who you are could not be verified: STS answered HTTP 503; try again. Nothing was done.');
    } finally {
      server.close();
    }
  });

  test('P9: a request in a text is redacted', async () => {
    expect(redact(`asking ${await sign()} failed`)).not.toMatch(/X-Amz-Signature=[0-9a-f]|AKIASAM/);
  });
});

const slackSays = (code: string) => new SlackDeliveryError(`reading the person: ${code}`, { code, retryable: true });

describe('what the person may', () => {
  const ask = async (
    as: string,
    named: { people?: People } = { people: PEOPLE },
    inSlack?: PersonReader,
    glass: { as?: 'break-glass'; change?: Partial<ApprovalPolicy> } = {},
  ) => {
    const { readApprover } = createApproverActivities({
      caller: (_cluster, { proof, words }) => read(proof, words),
      ...(inSlack === undefined ? {} : { people: inSlack }),
    });
    return await readApprover({
      cluster: CLUSTER,
      actor: { kind: 'cli', id: 'root@runner' },
      requestedBy: { kind: 'slack', id: 'U0ALEX' },
      policy: policy({
        ...named,
        approvals: { users: ['U0SAM', 'U0ALEX'], groups: [], quorum: 1, allowRequester: false, allowUnverifiedCli: true, ...glass.change },
      }),
      ...(glass.as === undefined ? {} : { as: glass.as }),
      claim: { proof: await sign({ as: of(as) }), words: WORDS },
    });
  };

  test.each<[string, PersonReader, boolean]>([
    ['who has left Slack is refused', { whyNotMember: () => Promise.resolve('Your Slack account is deactivated') }, false],
    ['Slack is away, and AWS knows who it is', { whyNotMember: () => Promise.reject(slackSays('http_503')) }, true],
    ['RS11: Slack asks to wait, and AWS knows who it is', { whyNotMember: () => Promise.reject(slackSays('rate_limited')) }, true],
    ['RS11: Slack is out of reach, and AWS knows who it is', { whyNotMember: () => Promise.reject(slackSays('unreachable')) }, true],
    ['RS11: Slack knows no such person', { whyNotMember: () => Promise.reject(slackSays('user_not_found')) }, false],
    ['RS11: Slack says nothing of them', { whyNotMember: () => Promise.reject(slackSays('no_user')) }, false],
    ['RS11: the token was revoked', { whyNotMember: () => Promise.reject(slackSays('token_revoked')) }, false],
    ['RS11: the account is inactive', { whyNotMember: () => Promise.reject(slackSays('account_inactive')) }, false],
    ['RS11: whatever else it was', { whyNotMember: () => Promise.reject(new Error('Cannot read properties of undefined')) }, false],
  ])('%s', async (_what, inSlack, allowed) => {
    expect(await ask('U0SAM', { people: PEOPLE }, inSlack)).toMatchObject({ allowed });
  });

  test.each<[string, string, Partial<ApprovalPolicy>, boolean]>([
    ['nobody is named', 'U0SAM', {}, false],
    ['one is named', 'U0SAM', { breakGlass: { users: ['U0SAM'], groups: [], delayMs: 0, enabled: true } }, true],
    ['it is switched off', 'U0SAM', { breakGlass: { users: ['U0SAM'], groups: [], delayMs: 0, enabled: false } }, false],
    ['another is named', 'U0SAM', { breakGlass: { users: ['U0RIN'], groups: [], delayMs: 0, enabled: true } }, false],
    [
      'the requester is named',
      'U0ALEX',
      { allowRequester: true, breakGlass: { users: ['U0ALEX'], groups: [], delayMs: 0, enabled: true } },
      false,
    ],
  ])('RS10: break-glass where %s', async (_what, as, change, allowed) => {
    expect(
      await ask(as, { people: PEOPLE }, { whyNotMember: () => Promise.resolve(undefined) }, { as: 'break-glass', change }),
    ).toMatchObject({ allowed });
  });

  test('RS10: break-glass by who has left is refused', async () => {
    const change = { breakGlass: { users: ['U0SAM'], groups: [], delayMs: 0, enabled: true } };
    const gone = { whyNotMember: () => Promise.resolve('Your Slack account is deactivated') };
    expect(await ask('U0SAM', { people: PEOPLE }, gone, { as: 'break-glass', change })).toMatchObject({ allowed: false });
  });

  test('an approver decides as in Slack', async () => {
    const person = { kind: 'slack', id: 'U0SAM', name: 'sam@example.com', aws: SAM_ARN };
    expect(await ask('U0SAM')).toEqual({ allowed: true, why: 'may decide as approvers', through: ['approvals.users'], person });
  });

  test('S6: whoever asked for the upgrade in Slack is the same person on the command line', async () => {
    expect(await ask('U0ALEX')).toMatchObject({
      allowed: false,
      why: expect.stringContaining('You asked for this upgrade'),
      person: { id: 'U0ALEX' },
    });
  });

  test('whom belay.yaml does not name is refused, although unverified people may decide', async () => {
    expect(await ask('U0EVE')).toEqual({
      allowed: false,
      why: expect.stringMatching(/eve@example.com is nobody whom people in belay.yaml names/),
    });
    expect(await ask('U0SAM', {})).toMatchObject({ allowed: false, why: expect.stringContaining('belay.yaml had no people') });
  });
});
