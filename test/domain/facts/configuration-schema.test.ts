/** Which keys of an add-on's configuration a schema does not have: schemas as EKS gives them begin with a reference. */
import { expect, test } from 'vitest';
import { outlineOf, unknownKeys } from '../../../domain/facts/configuration-schema.ts';

/** The shape of `aws eks describe-addon-configuration --addon-name coredns`. */
const COREDNS = {
  $ref: '#/definitions/Coredns',
  $schema: 'http://json-schema.org/draft-06/schema#',
  definitions: {
    Coredns: {
      additionalProperties: false,
      properties: {
        replicaCount: { type: 'integer' },
        autoScaling: { $ref: '#/definitions/AutoScaling' },
        nodeSelector: { additionalProperties: { type: 'string' }, type: 'object' },
        tolerations: { type: 'array' },
      },
      type: 'object',
    },
    AutoScaling: { additionalProperties: false, properties: { enabled: { type: 'boolean' } }, type: 'object' },
  },
};

test.each([
  [{ replicaCount: 3, nodeSelector: { zone: 'a' }, tolerations: [{ key: 'x' }], autoScaling: { enabled: true } }, []],
  [{ replicas: 3 }, ['replicas']],
  [{ autoScaling: { enabled: true, min: 2 }, podAnnotations: {} }, ['autoScaling.min', 'podAnnotations']],
  [null, []],
])('keys of %j that coredns does not have: %j', (values, unknown) => {
  expect(unknownKeys(values, COREDNS)).toEqual(unknown);
  expect(unknownKeys(values, outlineOf(COREDNS))).toEqual(unknown);
});

test('where a reference leads nowhere, or in a circle, it is not known', () => {
  expect(unknownKeys({ a: 1 }, { $ref: '#/definitions/Gone', definitions: {} })).toBeUndefined();
  expect(unknownKeys({ a: 1 }, { $ref: 'https://example.com/schema.json' })).toBeUndefined();
  expect(unknownKeys({ a: 1 }, { $ref: '#' })).toBeUndefined();
});

test('a schema that describes itself is followed as deep as the values go', () => {
  const tree = { additionalProperties: false, properties: { inner: { $ref: '#' } } };
  expect(unknownKeys({ inner: { inner: { leaf: 1 } } }, tree)).toEqual(['inner.inner.leaf']);
});

test('keys by pattern are not judged', () => {
  expect(unknownKeys({ ENABLE_X: '1' }, { patternProperties: { '^ENABLE_': {} }, additionalProperties: false })).toEqual([]);
});
