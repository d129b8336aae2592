import { describe, expect, test } from 'vitest';
import {
  compareComponentVersions,
  formatMinor,
  formatPatch,
  parseComponentVersion,
  tryComponentVersion,
} from '../../../domain/core/component-version.ts';

describe('ComponentVersion', () => {
  test.each([
    ['v1.18.3-eksbuild.1', '1.18.3'],
    ['1.0.2', '1.0.2'],
    ['v0.34.1', '0.34.1'],
    ['1.26', '1.26.0'],
    ['v1.32.0-minimal-eksbuild.2', '1.32.0'],
    ['1.26.2-distroless', '1.26.2'],
  ])('reads %s as %s', (text, patch) => {
    expect(formatPatch(parseComponentVersion(text))).toBe(patch);
  });

  test.each(['latest', 'sha256:abc', '1', ''])('refuses "%s" with its text', (text) => {
    expect(tryComponentVersion(text)).toBeUndefined();
    expect(() => parseComponentVersion(text)).toThrow(`"${text}" is not a version such as 1.0.2 or v1.18.3-eksbuild.1`);
  });

  test.each([
    ['v1.18.3-eksbuild.2', 'v1.18.3-eksbuild.10'],
    ['v1.18.3-eksbuild.10', 'v1.18.4-eksbuild.1'],
    ['v1.9.9', 'v1.10.0'],
    ['0.37.7', '1.0.0'],
    ['1.30.0-rc.1', '1.30.0'],
    ['1.30.0-beta.2', '1.30.0-beta.10'],
    ['1.30', '1.30.1'],
  ])('%s is older than %s', (older, newer) => {
    expect(compareComponentVersions(parseComponentVersion(older), parseComponentVersion(newer))).toBeLessThan(0);
    expect(compareComponentVersions(parseComponentVersion(newer), parseComponentVersion(older))).toBeGreaterThan(0);
  });

  test('a version is equal to itself with or without a prefix', () => {
    expect(compareComponentVersions(parseComponentVersion('v1.2.3'), parseComponentVersion('1.2.3'))).toBe(0);
    expect(formatMinor(parseComponentVersion('v1.2.3'))).toBe('1.2');
  });
});
