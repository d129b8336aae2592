/** role and writeRole of a cluster: what goes together. */
import { describe, expect, test } from 'vitest';
import type { Config } from '../../../../../domain/policy/config/config.ts';
import { parseConfig } from '../../../../../worker/config/config.ts';
import { failure } from '../../../../support/thrown.ts';
import { accessOf } from '../../../../../domain/policy/config/of-cluster.ts';

const READ = 'arn:aws:iam::123456789012:role/belay-read';
const WRITE = 'arn:aws:iam::123456789012:role/belay-write';
const read = (keys: string, defaults = ''): Config =>
  parseConfig(`defaults: { ${defaults} }\nclusters:\n  prod: { region: eu-west-1, account: "123456789012", ${keys} }\n`, 'belay.yaml');

test('one that reads, one that changes, and tags', () => {
  expect(accessOf(read(`role: "${READ}", writeRole: "${WRITE}", sessionTags: true`), 'prod')).toMatchObject({
    role: READ,
    writeRole: WRITE,
    sessionTags: true,
  });
  expect(accessOf(read('', `role: "${READ}", writeRole: "${WRITE}"`), 'prod')).toMatchObject({ role: READ, writeRole: WRITE });
  expect(accessOf(read(''), 'prod').sessionTags).toBeUndefined();
});

describe('is refused', () => {
  test.each([
    [
      'the same role twice',
      `role: "${READ}", writeRole: "${READ}"`,
      'clusters.prod.writeRole: names the same role as role; name one of its own for changes, or leave it out',
    ],
    [
      'a role of another account',
      `writeRole: "${WRITE.replace('123456789012', '111122223333')}"`,
      'clusters.prod.writeRole: names a role of account 111122223333, but the cluster is in 123456789012',
    ],
    [
      'a kubeconfig, which is one identity',
      `writeRole: "${WRITE}", kubernetes: { kubeconfig: ./kubeconfig }`,
      'clusters.prod.kubernetes.kubeconfig: names one identity for reading and for changes',
    ],
    ['what is no role', 'writeRole: belay-write', 'write a role ARN such as arn:aws:iam::123456789012:role/belay-write'],
  ])('%s', (_what, keys, message) => {
    expect(failure(() => read(keys))).toContain(message);
  });
});
