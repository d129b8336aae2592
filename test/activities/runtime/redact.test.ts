/** What is secret goes, whoever wrote the text decides neither how long that takes nor what else goes with it. */
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { KEY_BEGINS, KEY_ENDS, NAMED_SECRETS, redact, redactedJson, SECRETS } from '../../../activities/runtime/redact.ts';

const PATTERNS = [...SECRETS, ...NAMED_SECRETS, KEY_BEGINS, KEY_ENDS];

/** Where a pattern may repeat without a bound, in its source: characters of a class count as one. */
function unboundedAt(source: string): number[] {
  const flat = source.replace(/\\./g, (escaped) => 'E'.repeat(escaped.length)).replace(/\[[^\]]*\]/g, (set) => 'C'.repeat(set.length));
  return [...flat.matchAll(/[*+]|\{\d+,\}/g)].map(({ index, 0: text }) => index + text.length);
}

describe('what is secret', () => {
  test.each([
    ['a bearer token', 'authorization: Bearer  eyJhbGciOi.J9.abc', 'authorization: Bearer  [redacted]'],
    ['a token of EKS', 'got k8s-aws-v1.aHR0cHM6 from STS', 'got [redacted] from STS'],
    ['an access key', 'key AKIAIOSFODNN7EXAMPLE', 'key [redacted]'],
    ['tokens of Slack', 'xoxb-12-ab and xapp-1-A', '[redacted] and [redacted]'],
    ['a token of a ServiceAccount', 'vault: eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2ln, is old', 'vault: [redacted], is old'],
    ['a token of GitHub', `as ghs_${'a1'.repeat(18)}: 403`, 'as [redacted]: 403'],
    ['a fine-grained token of GitHub', `as github_pat_11${'aB_'.repeat(10)}: 403`, 'as [redacted]: 403'],
    ['a token of GitLab', 'as glpat-abcdefghij0123456789: 403', 'as [redacted]: 403'],
    [
      'the address of an incoming webhook',
      'https://hooks.slack.com/services/T01/B02/x3 is gone',
      'https://hooks.slack.com/services/[redacted] is gone',
    ],
    ['a signed address', 'https://x/?X-Amz-Signature=abc&b=1', 'https://x/?X-Amz-Signature=[redacted]&b=1'],
    ['a password of an address', 'GET http://belay:hunter2@prometheus:9090/api failed', 'GET http://[redacted]@prometheus:9090/api failed'],
    ['a password with an @', 'postgres://belay:hunter@2@db/belay', 'postgres://[redacted]@db/belay'],
    ['a token of Git', "could not read 'https://ghp_abc@github.com/acme/x'", "could not read 'https://[redacted]@github.com/acme/x'"],
    ['a password', 'password = "hunter2hunter2"', 'password = "[redacted]"'],
    ['a key', 'a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b', 'a [redacted] b'],
    ['a key that is cut off', 'a -----BEGIN PRIVATE KEY-----\nMII', 'a [redacted]'],
  ])('%s', (_what, text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  test.each([
    'ssh://git@github.com/acme/fleet',
    'oci://public.ecr.aws/karpenter/karpenter@sha256:9f',
    '<https://example.com|runbook> for sam@example.com',
    'X names a variable of the environment that is not set; set it to a bearer token.',
    'name a variable of the environment with a bearer token under bearerTokenFrom',
    'https://example.com/u/sam@example.com?by=kim@example.com',
  ])('a text without a secret stays: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  test('RS3: in a value each text is judged by itself, and fields by their names', () => {
    const value = {
      reason: '-----BEGIN PRIVATE KEY-----',
      next: 'stays',
      nested: [{ password: 'hunter2hunter2', note: 'Bearer abcdefgh' }],
      count: 3,
    };
    expect(JSON.parse(redactedJson(value))).toEqual({
      reason: '[redacted]',
      next: 'stays',
      nested: [{ password: '[redacted]', note: 'Bearer [redacted]' }],
      count: 3,
    });
  });

  test.each(PATTERNS.map(({ source }) => [source]))(
    'RS4: %s repeats without a bound at its end alone, and looks behind nothing',
    (source) => {
      const at = unboundedAt(source);
      expect(at.filter((end) => end !== source.length)).toEqual([]);
      expect(at.length).toBeLessThanOrEqual(1);
      expect(source).not.toMatch(/\(\?<[=!]/);
      // Nothing is repeated that itself repeats.
      expect(source).not.toMatch(/[*+}]\)[*+{]/);
    },
  );

  test('RS4: the check of patterns finds those that were here before', () => {
    const before = ['(?<=bearer\\s+)[\\w.~+/=-]+', '-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END|$)'];
    expect(before.map((source) => unboundedAt(source).some((end) => end !== source.length))).toEqual([true, true]);
  });

  test('RS4: 100 KB of what patterns begin with are done with long before a watchdog would look', async () => {
    const parts = [
      ' ',
      'bearer ',
      'bearer',
      'token',
      'token ',
      'token=',
      'token"  :',
      '-----BEGIN ',
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN A',
    ];
    const more = [
      'AKIA',
      'xoxb-',
      'X-Amz-Signature=',
      'k8s-aws-v1',
      'password  ',
      '-----END ',
      'belay-',
      'token=belay-',
      '://',
      '://a:',
      'eyJ',
      'eyJ12345678.',
      'ghp_',
      'glpat-',
    ];
    const script = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.url).then(({ redact }) => {
        for (const part of workerData.parts) redact(part.repeat(Math.ceil(100_000 / part.length)));
        parentPort.postMessage('done');
      });`;
    const url = new URL('../../../activities/runtime/redact.ts', import.meta.url).href;
    const worker = new Worker(script, { eval: true, workerData: { url, parts: [...parts, ...more] } });
    try {
      // A guard against hanging only: what is linear takes milliseconds.
      const ended = await new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
        setTimeout(() => resolve('still at it'), 40_000).unref();
      });
      expect(ended).toBe('done');
    } finally {
      await worker.terminate();
    }
  });
});
