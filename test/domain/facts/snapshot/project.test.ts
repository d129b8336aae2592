/** What an allow-list of paths leaves of a value. */
import { describe, expect, test } from 'vitest';
import { keptAnswer, keptObject } from '../../../../domain/facts/snapshot/allowed/index.ts';
import { keptAnnotations, keptLabels, NO_MARKS, selectedKeys } from '../../../../domain/facts/snapshot/marks.ts';
import { withoutCaller } from '../../../../domain/facts/snapshot/without-caller.ts';
import { project, shapeOf } from '../../../../domain/facts/snapshot/project.ts';

test.each<[paths: string[], value: unknown, kept: unknown]>([
  [['a.b'], { a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1 } }],
  [['a[].b'], { a: [{ b: 1, c: 2 }, { c: 3 }] }, { a: [{ b: 1 }, {}] }],
  [['a[]'], { a: ['x', { b: 1 }, 2] }, { a: ['x', 2] }],
  [['a.*'], { a: { x: 'y', z: { w: 1 } } }, { a: { x: 'y' } }],
  // What is kept as a word is not kept as an object that somebody makes of it one day.
  [['a'], { a: { b: 1 } }, {}],
  [['a.b'], { a: 'text' }, {}],
  // An empty selector selects all, an absent one nothing.
  [['s.matchLabels.*'], { s: {} }, { s: {} }],
  [['s.matchLabels.*'], { s: null }, { s: null }],
  [['a=present'], { a: { secret: 1 } }, { a: {} }],
  [['a=present'], {}, {}],
  [['a', 'b'], { a: true, b: null }, { a: true, b: null }],
  [['a.b'], { a: { __proto__: { b: 1 } } }, { a: {} }],
])('%j of %j', (paths, value, kept) => {
  expect(project(value, shapeOf(paths))).toEqual(kept);
});

test('a path with an unknown stand-in is a mistake in the list', () => {
  expect(() => shapeOf(['a=nothing'])).toThrow('a=nothing names no stand-in');
});

describe('stand-ins', () => {
  const of = (path: string, value: unknown): unknown => project({ a: value }, shapeOf([`a=${path}`]));

  test.each([
    ['userData', '#!/bin/bash\n/etc/eks/bootstrap.sh prod --token secret', 'bootstrap.sh'],
    ['userData', 'apiVersion: node.eks.aws/v1alpha1\nsecret: x', 'node.eks.aws'],
    ['userData', '[settings.kubernetes]\nsecret = 1', '[settings'],
    ['userData', 'secret', 'other'],
    ['router', ['proxy', 'router', '--token', 'secret'], ['router']],
    ['socket', '/var/run/docker.sock', '/var/run/docker.sock'],
    ['headless', 'None', 'None'],
    ['address', '198.51.100.7', '192.0.2.1'],
    ['address', '198.051.100.7', '192.0.2.01'],
    ['address', '::ffff:198.51.100.7', '::ffff:192.0.2.1'],
    ['network', '198.51.100.0/26', '192.0.2.0/24'],
    ['network', '198.51.100.7/26', '192.0.2.1/24'],
    ['network', '198.051.100.0/26', '192.0.2.00/24'],
    ['network', '::ffff:198.51.100.0/122', '::ffff:192.0.2.0/120'],
    ['anonymous', 'system:unauthenticated', 'system:unauthenticated'],
    ['chart', 'oci://token@registry.example.com/charts/karpenter', 'oci://registry.invalid/karpenter'],
    ['agent', 'kubectl/v1.33.1 (linux/amd64) kubernetes/secret', 'kubectl/v1.33.1'],
    ['keys', '{"env":{"TOKEN":"secret"},"list":["secret"]}', '{"env":{"TOKEN":null},"list":[]}'],
    [
      'schema',
      '{"title":"secret","properties":{"a":{"default":"secret","properties":{"b":{}}}},"additionalProperties":false}',
      '{"properties":{"a":{"properties":{"b":{}}}},"additionalProperties":false}',
    ],
    [
      'schema',
      '{"$ref":"#/definitions/A","definitions":{"A":{"description":"secret","properties":{"b":{"$ref":"#/definitions/B"}}},"B":{"additionalProperties":{"default":"secret"}}}}',
      '{"$ref":"#/definitions/A","definitions":{"A":{"properties":{"b":{"$ref":"#/definitions/B"}}},"B":{"additionalProperties":{}}}}',
    ],
    ['injected', '{"revision":"1-27","initContainers":["secret"]}', '{"revision":"1-27"}'],
  ])('%s of %j', (name, value, kept) => {
    expect(of(name, value)).toEqual({ a: kept });
  });

  test.each([
    ['router', ['--token', 'secret']],
    ['socket', '/etc/secret'],
    ['headless', '10.0.0.1'],
    ['anonymous', 'ana@example.com'],
    ['keys', 7],
    ['injected', 'no JSON'],
  ])('%s keeps nothing of %j', (name, value) => {
    expect(of(name, value)).toEqual({});
  });
});

test('F50: of last-applied only the API version is kept', () => {
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"v1","kind":"Secret","data":{"password":"aHVudGVyMg=="}}',
  };
  expect(keptAnnotations(annotations, NO_MARKS)).toEqual({ 'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"v1"}' });
});

test('labels: of public domains, what selectors name, who owns; digests are cut', () => {
  const digest = '0123456789abcdef0123456789abcdef01234567';
  const labels = {
    app: 'web',
    'karpenter.sh/nodepool': 'general',
    tier2: 'x',
    squad: 'pay',
    'app.kubernetes.io/version': digest,
    'evil.com/kubernetes.io': 'x',
  };
  const selected = new Set<string>(['squad']);
  selectedKeys({ spec: { affinity: [{ labelSelector: { matchExpressions: [{ key: 'tier2' }] } }] } }, selected);
  expect(keptLabels(labels, { labels: selected, annotations: new Set() })).toEqual({
    app: 'web',
    'karpenter.sh/nodepool': 'general',
    tier2: 'x',
    squad: 'pay',
    'app.kubernetes.io/version': '0123456789ab',
  });
});

test('an item of a list is told what it is, and a type or an operation off the list leaves nothing', () => {
  const list = { apiVersion: 'v1', plural: 'secrets' };
  expect(keptObject({ metadata: { name: 'x' }, data: { a: 'b' } }, list)).toEqual({ apiVersion: 'v1', kind: '' });
  expect(keptObject({ metadata: { name: 'x' } }, { apiVersion: 'v1', plural: 'pods' })).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'x' },
  });
  expect(keptAnswer('ec2', 'GetConsoleOutput', { Output: 'secret' })).toEqual({});
});

test.each([
  [
    'User: arn:aws:sts::111122223333:assumed-role/Admin/alice@example.com is not authorized to perform: ec2:DescribeSubnets',
    'User: (whoever took it) is not authorized to perform: ec2:DescribeSubnets',
  ],
  [
    'pods is forbidden: User "alice@example.com" cannot list resource "pods"',
    'pods is forbidden: User (whoever took it) cannot list resource "pods"',
  ],
  ['no answer in time', 'no answer in time'],
])('a gap does not say who took the snapshot: %s', (why, said) => {
  expect(withoutCaller(why)).toBe(said);
});
