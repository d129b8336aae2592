/** Which part of Temporal's API goes into the bundle: a method that is called without its messages would fail at a user's. */
import { describe, expect, test } from 'vitest';
import { type ProtoNode, usedApi } from '../../scripts/bundle/protos.ts';

const API: Record<string, ProtoNode> = {
  api: {
    nested: {
      work: {
        nested: {
          Service: {
            methods: {
              StartRun: { requestType: 'StartRequest', responseType: 'api.work.StartAnswer' },
              StopRun: { requestType: 'StopRequest', responseType: 'StopAnswer' },
            },
          },
          StartRequest: {
            fields: { note: { type: 'Note' }, ids: { type: 'string' } },
            nested: { Note: { fields: { by: { type: 'common.Who' } } } },
          },
          StartAnswer: { fields: {} },
          StopRequest: { fields: { why: { type: 'common.Why' } } },
          StopAnswer: { fields: {} },
        },
      },
      common: { nested: { Who: { fields: { again: { type: 'Who' } } }, Why: { fields: {} }, State: { values: { OPEN: 0 } } } },
      http: { extend: 'options', fields: {} },
    },
  },
};

const namesOf = (nodes: Record<string, ProtoNode>, prefix = ''): string[] =>
  Object.entries(nodes).flatMap(([name, { nested = {} }]) => [prefix + name, ...namesOf(nested, `${prefix}${name}.`)]);

describe('of an API stays', () => {
  test('a method that is called, with each message that it can carry, and every enum', () => {
    const used = usedApi(API, ['connection.service.startRun({})']);
    expect(namesOf(used)).toEqual([
      'api',
      'api.work',
      'api.work.Service',
      'api.work.StartRequest',
      'api.work.StartRequest.Note',
      'api.work.StartAnswer',
      'api.common',
      'api.common.Who',
      'api.common.State',
    ]);
    expect(used['api']?.nested?.['work']?.nested?.['Service']?.methods).toEqual({
      StartRun: { requestType: 'StartRequest', responseType: 'api.work.StartAnswer' },
    });
  });

  test('what a text names in full, though no method carries it, and no annotation', () => {
    const names = namesOf(usedApi({ temporal: API['api'] ?? {} }, ['proto.temporal.common.Why.decode(bytes)', 'temporal.http']));
    expect(names).toContain('temporal.common.Why');
    expect(names).not.toContain('temporal.http');
    expect(names).not.toContain('temporal.work.StopRequest');
  });
});
