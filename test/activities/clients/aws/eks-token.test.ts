import { STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEksTokenSource } from '../../../../activities/clients/aws/eks-token.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example', sessionToken: 'session/+=' };
const stsOf = (region: string) => new STSClient({ region, credentials });
const urlOf = (token: string) => new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());

const given = process.env['AWS_ENDPOINT_URL'];
beforeEach(() => {
  delete process.env['AWS_ENDPOINT_URL'];
});
afterEach(() => {
  if (given !== undefined) process.env['AWS_ENDPOINT_URL'] = given;
  else delete process.env['AWS_ENDPOINT_URL'];
});

describe("a token for EKS's API servers", () => {
  test('is a presigned GetCallerIdentity, valid for a minute, bound to the cluster by a signed header', async () => {
    const token = await createEksTokenSource(stsOf('eu-central-1'), 'prod', () => Date.parse('2026-09-08T09:00:00Z')).token();
    expect(token).toMatch(/^k8s-aws-v1\.[\w-]+$/);
    const url = urlOf(token);
    expect(url.origin).toBe('https://sts.eu-central-1.amazonaws.com');
    expect(url.pathname).toBe('/');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Date': '20260908T090000Z',
      'X-Amz-Expires': '60',
      'X-Amz-Credential': 'AKIDEXAMPLE/20260908/eu-central-1/sts/aws4_request',
      'X-Amz-Security-Token': 'session/+=',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    });
    expect(url.searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
  });

  test('differs by cluster, so one of staging does not open prod', async () => {
    const now = () => Date.parse('2026-09-08T09:00:00Z');
    const [a, b] = await Promise.all(['prod', 'staging'].map((name) => createEksTokenSource(stsOf('eu-central-1'), name, now).token()));
    expect(urlOf(a ?? '').searchParams.get('X-Amz-Signature')).not.toBe(urlOf(b ?? '').searchParams.get('X-Amz-Signature'));
  });

  test('goes where AWS_ENDPOINT_URL says, protocol and port included', async () => {
    process.env['AWS_ENDPOINT_URL'] = 'http://127.0.0.1:4566';
    const url = urlOf(await createEksTokenSource(stsOf('eu-central-1'), 'prod').token());
    expect(url.origin).toBe('http://127.0.0.1:4566');
  });

  test('is kept for ten minutes and made anew when asked', async () => {
    let nowMs = Date.parse('2026-09-08T09:00:00Z');
    const source = createEksTokenSource(stsOf('eu-central-1'), 'prod', () => nowMs);
    const first = await source.token();
    nowMs += 9 * 60_000;
    expect(await source.token()).toBe(first);
    nowMs += 60_000;
    const second = await source.token();
    expect(second).not.toBe(first);
    nowMs += 1_000;
    source.renew();
    expect(await source.token()).not.toBe(second);
  });

  test('is signed once for calls that need it together', async () => {
    const source = createEksTokenSource(stsOf('eu-central-1'), 'prod');
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => source.token()));
    expect(others).toEqual(others.map(() => first));
  });

  test('O36: ends with the session that signed it, so it is made anew a minute before that', async () => {
    let nowMs = Date.parse('2026-09-08T09:00:00Z');
    const sts = new STSClient({
      region: 'eu-central-1',
      credentials: async () => ({ ...credentials, expiration: new Date(nowMs + 8 * 60_000) }),
    });
    const source = createEksTokenSource(sts, 'prod', () => nowMs);
    const first = await source.token();
    nowMs += 7 * 60_000 - 1;
    expect(await source.token()).toBe(first);
    nowMs += 1;
    expect(await source.token()).not.toBe(first);
  });

  test('O36: is signed by a new session where the API server refused the one before; that one again where there is no other', async () => {
    const forced: boolean[] = [];
    let sessions = 0;
    const sts = new STSClient({
      region: 'eu-central-1',
      credentials: async (asked?: { forceRefresh?: boolean }) => {
        forced.push(asked?.forceRefresh === true);
        if (sessions === 2) throw new Error('STS is away');
        sessions += 1;
        return { ...credentials, accessKeyId: `AKID${sessions}` };
      },
    });
    const source = createEksTokenSource(sts, 'prod');
    const signer = async (): Promise<string | undefined> =>
      urlOf(await source.token())
        .searchParams.get('X-Amz-Credential')
        ?.split('/')[0];
    source.renew();
    expect([await signer(), forced]).toEqual(['AKID1', [false]]);
    source.renew();
    expect([await signer(), forced]).toEqual(['AKID2', [false, true]]);
    source.renew();
    expect([await signer(), forced]).toEqual(['AKID2', [false, true, true]]);
  });

  test('failed signing is not kept: credentials may come later', async () => {
    let ready = false;
    const sts = new STSClient({
      region: 'eu-central-1',
      credentials: async () => {
        if (!ready) throw Object.assign(new Error('none yet'), { name: 'CredentialsProviderError' });
        return credentials;
      },
    });
    const source = createEksTokenSource(sts, 'prod');
    await expect(source.token()).rejects.toThrow('none yet');
    ready = true;
    expect(await source.token()).toMatch(/^k8s-aws-v1\./);
  });
});
