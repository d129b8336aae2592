/** What reads like a credential, and what does not although it is long. */
import { expect, test } from 'vitest';
import { findSecret, suspectIn } from '../../../../domain/facts/snapshot/secrets.ts';

/** In parts: scanners of this repository look for the same. */
const of = (...parts: string[]): string => parts.join('');

test.each([
  [of('AK', 'IAQ3EXAMPLEKEY7XYZ'), 'an AWS access key'],
  [`arn ${of('AS', 'IAQ3EXAMPLEKEY7XYZ')} x`, 'an AWS access key'],
  [of('ey', 'JhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0In0', '.c2ln'), 'a JSON Web Token'],
  [of('-----BEGIN ', 'PRIVATE KEY-----'), 'a PEM block'],
  [of('xo', 'xb-1234567890-abcdef'), 'a Slack token'],
  [of('https://hooks.slack', '.com/services/T0/B0/x'), 'a Slack webhook'],
  [of('gh', 'p_16C7e42F292c6912E7710c838347Ae178B4a'), 'a GitHub token'],
  [of('gl', 'pat-abcdefghij1234567890'), 'a GitLab token'],
  ['https://user:hunter2@git.example.com/x', 'a password in a URL'],
  [of('wJalrXUtnFEMI9K7MDENG', 'bPxRfiCYz3XAMPL8KEY1q'), 'a random key'],
  [of('q3v8zk1m5x9b7t2w', '4y6r0p8s3d5f7g1h'), 'a random key'],
])('%s', (text, what) => {
  expect(suspectIn(text)).toBe(what);
});

test.each([
  'ip-10-0-16-45.eu-west-1.compute.internal',
  'karpenter-controller-manager-7d9f8b6c5d-abcde',
  'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  'arn:aws:iam::111122223333:role/MyCompanyProductionEKSClusterRole20240101',
  'amazon-eks-node-al2023-x86_64-standard-1.33-v20250704',
  '602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/aws-load-balancer-controller:v2.13.3',
  '/apis/policy/v1beta1/namespaces/storefront/poddisruptionbudgets/checkout1234',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'preferredDuringSchedulingIgnoredDuringExecution2026',
  'csi-0123456789ab',
  'eksctl-production-cluster-ServiceRole-1ABCDEFGHIJKL',
  '',
])('%s is none', (text) => {
  expect(suspectIn(text)).toBeUndefined();
});

test('F51: the place is named, the value is not, and a key is not named when it is the secret', () => {
  const key = of('AK', 'IAQ3EXAMPLEKEY7XYZ');
  expect(findSecret({ metadata: { labels: { app: key } } })).toEqual({ path: 'metadata.labels.app', what: 'an AWS access key' });
  expect(findSecret({ spec: [{ a: 1 }, { b: ['x', key] }] })).toEqual({ path: 'spec[1].b[1]', what: 'an AWS access key' });
  expect(findSecret({ labels: { [key]: 'x' } })).toEqual({ path: 'labels.(a key)', what: 'an AWS access key' });
});
