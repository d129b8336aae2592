import { describe, expect, test } from 'vitest';
import { formatMinor, parseComponentVersion } from '../../../domain/core/component-version.ts';
import { istioPastEndOfLife, istioSupport, istioVersionsFor } from '../../../domain/tables/istio.ts';
import { parseKubernetesVersion } from '../../../domain/core/version.ts';

const versionsFor = (...minors: string[]) => istioVersionsFor(minors.map(parseKubernetesVersion)).map(formatMinor);

describe('Istio table', () => {
  // The joint traps of a hop: what bridges both minors.
  test.each([
    ['1.31', '1.32', ['1.25', '1.26', '1.27', '1.28', '1.29']],
    ['1.32', '1.33', ['1.26', '1.27', '1.28', '1.29', '1.30', '1.31']],
    ['1.33', '1.34', ['1.28', '1.29', '1.30', '1.31']],
    ['1.34', '1.35', ['1.29', '1.30', '1.31']],
    ['1.35', '1.36', ['1.30', '1.31']],
  ])('%s → %s', (from, to, versions) => {
    expect(versionsFor(from, to)).toEqual(versions);
  });

  test.each([
    ['1.26.2', '1.33', 'supported'],
    ['1.26.2', '1.34', 'unsupported'],
    ['1.31.0', '1.36', 'supported'],
    ['1.31.0', '1.31', 'unsupported'],
    ['1.32.0', '1.34', 'unknown'],
    ['1.15.7', '1.30', 'unsupported'],
  ] as const)('Istio %s on Kubernetes %s is %s', (istio, minor, expected) => {
    expect(istioSupport(parseComponentVersion(istio), parseKubernetesVersion(minor))).toBe(expected);
  });

  test.each([
    ['1.28.3', '2026-07-01T23:00:00Z', false],
    ['1.28.3', '2026-07-02T00:00:00Z', true],
    ['1.29.0', '2026-10-12T09:00:00Z', false],
    ['1.29.0', '2026-10-13T00:00:00Z', true],
    ['1.31.0', '2027-04-30T00:00:00Z', false],
    ['1.31.0', '2027-05-01T00:00:00Z', true],
    ['1.33.0', '2026-09-01T00:00:00Z', undefined],
    ['1.12.0', '2026-09-01T00:00:00Z', true],
  ])('Istio %s at %s is past its end of life: %s', (istio, now, expected) => {
    expect(istioPastEndOfLife(parseComponentVersion(istio), now)).toBe(expected);
  });
});
