import { describe, expect, test } from 'vitest';
import { parseComponentVersion } from '../../../domain/core/component-version.ts';
import {
  KARPENTER_NEWEST_PATCHES,
  karpenterRangeText,
  karpenterSupport,
  karpenterToAvoid,
  preferredKarpenter,
  smallestKarpenterFor,
} from '../../../domain/tables/karpenter.ts';
import { minorsBetween, parseKubernetesVersion } from '../../../domain/core/version.ts';

const minors = (from: string, to: string) => minorsBetween(parseKubernetesVersion(from), parseKubernetesVersion(to));
const support = (karpenter: string, minor: string) => karpenterSupport(parseComponentVersion(karpenter), parseKubernetesVersion(minor));

describe('Karpenter matrix', () => {
  // The minimum for each Kubernetes minor, as the compatibility page gives it.
  test.each([
    ['1.25', '0.25.0'],
    ['1.26', '0.28.1'],
    ['1.27', '0.28.1'],
    ['1.28', '0.31.0'],
    ['1.29', '0.34.0'],
    ['1.30', '0.37.0'],
    ['1.31', '1.0.5'],
    ['1.32', '1.2.0'],
    ['1.33', '1.5.0'],
    ['1.34', '1.6.0'],
    ['1.35', '1.9.0'],
    ['1.36', '1.13.0'],
    ['1.37', '1.15.0'],
  ])('the first for Kubernetes %s is %s', (minor, minimum) => {
    expect(smallestKarpenterFor([parseKubernetesVersion(minor)])?.minimum).toBe(minimum);
    expect(support(minimum, minor)).toBe('supported');
  });

  test.each([
    ['1.0.4', '1.31', 'unsupported'],
    ['1.0.5', '1.31', 'supported'],
    ['v0.28.0', '1.26', 'unsupported'],
    ['1.5.0', '1.25', 'unsupported'],
    ['1.14.3', '1.37', 'unsupported'],
    ['1.15.2', '1.37', 'supported'],
    ['1.15.0', '1.38', 'unsupported'],
    ['1.16.0', '1.34', 'unknown'],
    ['0.20.0', '1.24', 'unknown'],
  ] as const)('Karpenter %s on Kubernetes %s is %s', (karpenter, minor, expected) => {
    expect(support(karpenter, minor)).toBe(expected);
  });

  test('says the range for messages', () => {
    expect(karpenterRangeText(parseComponentVersion('1.0.5'))).toBe('1.25 to 1.31');
    expect(karpenterRangeText(parseComponentVersion('1.99.0'))).toBeUndefined();
  });

  test('one change serves the whole upgrade where one version covers it', () => {
    expect(preferredKarpenter(minors('1.32', '1.34'), parseComponentVersion('1.0.2'))).toEqual({
      minor: '1.6',
      version: KARPENTER_NEWEST_PATCHES['1.6'],
      minimum: '1.6.0',
    });
  });

  test('covers the hop and as much as possible of the rest where none covers all', () => {
    // 1.25 ends with Karpenter 1.4, which reaches 1.32.
    expect(preferredKarpenter(minors('1.25', '1.34'))?.minor).toBe('1.2');
    expect(preferredKarpenter(minors('1.37', '1.38'))).toBeUndefined();
  });

  test('never goes below the installed version', () => {
    expect(smallestKarpenterFor(minors('1.30', '1.31'), parseComponentVersion('1.7.3'))).toEqual({
      minor: '1.7',
      version: '1.7.6',
      minimum: '1.7.3',
    });
    expect(smallestKarpenterFor(minors('1.25', '1.26'), parseComponentVersion('1.9.0'))).toBeUndefined();
  });

  test('1.8.4 is to be avoided, and never what a plan goes to', () => {
    expect(karpenterToAvoid(parseComponentVersion('1.8.4'))).toBe('it has a regression in topology spread constraints');
    expect(karpenterToAvoid(parseComponentVersion('1.8.5'))).toBeUndefined();
    expect(Object.values(KARPENTER_NEWEST_PATCHES).filter((v) => karpenterToAvoid(parseComponentVersion(v)) !== undefined)).toEqual([]);
  });
});
