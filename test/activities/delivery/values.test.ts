import { describe, expect, test } from '@jest/globals';
import { covers, overlay, parametersOf } from '../../../activities/delivery/values.ts';

const WEBHOOK = { webhook: { enabled: true, port: 8443 } };

describe('values of a chart', () => {
  test('are laid over others key by key; what is no map is replaced', () => {
    const base = { replicas: 3, webhook: { enabled: false, metrics: { port: 1 } }, tolerations: [{ key: 'a' }] };
    expect(overlay(base, { ...WEBHOOK, tolerations: [] })).toEqual({
      replicas: 3,
      webhook: { enabled: true, port: 8443, metrics: { port: 1 } },
      tolerations: [],
    });
    expect(base.webhook.enabled).toBe(false);
  });

  test.each<[object | undefined, boolean]>([
    [{ webhook: { enabled: true, port: 8443, other: 1 }, replicas: 2 }, true],
    [{ webhook: { enabled: true } }, false],
    [{ webhook: { enabled: 'true', port: 8443 } }, false],
    [{}, false],
    [undefined, false],
  ])('%j has the webhook: %s', (values, found) => expect(covers(values, WEBHOOK)).toBe(found));

  test('as parameters of an Application', () => {
    expect(parametersOf(WEBHOOK)).toEqual([
      { name: 'webhook.enabled', value: 'true' },
      { name: 'webhook.port', value: '8443' },
    ]);
  });
});
