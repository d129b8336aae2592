import { describe, expect, test } from 'vitest';
import {
  compareKubernetesVersions,
  formatKubernetesVersion,
  minorDistance,
  minorsBetween,
  nextMinor,
  parseKubernetesVersion,
} from '../../../domain/core/version.ts';

describe('KubernetesVersion', () => {
  test.each([
    ['1.32', '1.32'],
    ['v1.32.3-eks-473151a', '1.32'],
    ['1.32+', '1.32'],
    ['v1.33.0', '1.33'],
    [' 1.9 ', '1.9'],
    ['v1.34.0-eksbuild.2', '1.34'],
  ])('reads %s as %s', (text, minor) => {
    expect(formatKubernetesVersion(parseKubernetesVersion(text))).toBe(minor);
  });

  test.each(['', '1', 'banana', '1.x', '1.32.', 'al2023@latest', '1.32 or so'])('A16: refuses "%s" with its text', (text) => {
    expect(() => parseKubernetesVersion(text)).toThrow(`"${text}" is not a Kubernetes version such as 1.34`);
  });

  test('compares minors as numbers', () => {
    const [nine, ten] = [parseKubernetesVersion('1.9'), parseKubernetesVersion('1.10')];
    expect(compareKubernetesVersions(nine, ten)).toBeLessThan(0);
    expect(minorDistance(nine, ten)).toBe(1);
    expect(minorDistance(ten, nine)).toBe(-1);
    expect(nextMinor(nine)).toEqual(ten);
  });

  test('counts every minor on a way, and none on the way back', () => {
    const [from, to] = [parseKubernetesVersion('1.32'), parseKubernetesVersion('1.34')];
    expect(minorsBetween(from, to).map(formatKubernetesVersion)).toEqual(['1.32', '1.33', '1.34']);
    expect(minorsBetween(to, from)).toEqual([]);
  });

  test('does not count minors between majors', () => {
    expect(() => minorDistance(parseKubernetesVersion('1.40'), parseKubernetesVersion('2.0'))).toThrow(
      'Minors of Kubernetes 1.40 and 2.0 cannot be counted',
    );
  });
});
