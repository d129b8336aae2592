/** The table of beliefs agrees with itself, with the code, and with the checks. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CHANGE_CHECKS, READ_CHECKS } from '../../activities/observe/conformance/checks.ts';
import { BELIEFS, OUTSIDES } from '../../domain/tables/beliefs/index.ts';
import { SOURCES } from '../../domain/tables/beliefs/sources.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ids = BELIEFS.map(({ id }) => id);

describe('RT10: beliefs', () => {
  test('have ids of their own, which begin with their outside', () => {
    expect(new Set(ids).size).toBe(ids.length);
    for (const { prefix, beliefs } of OUTSIDES) for (const { id } of beliefs) expect(id).toMatch(new RegExp(`^${prefix}(-[A-Z0-9]+)+$`));
  });

  test('name files that exist, and every source is used', () => {
    expect(BELIEFS.filter(({ where }) => !existsSync(`${root}/${where}`)).map(({ id, where }) => `${id}: ${where}`)).toEqual([]);
    const used = new Set<string>(BELIEFS.flatMap(({ sources }) => sources));
    expect(Object.keys(SOURCES).filter((source) => !used.has(source))).toEqual([]);
    expect(BELIEFS.filter(({ sources }) => sources.length === 0)).toEqual([]);
  });

  test('are one sentence each, and say what happens where they are false', () => {
    for (const { id, says, ifFalse } of BELIEFS) {
      expect(`${id}: ${says}`).not.toMatch(/\.$/);
      expect(`${id}: ${ifFalse}`).toMatch(/\.$/);
    }
  });

  test('have a check each where the table says so, and no check is of nothing', () => {
    expect(Object.keys(READ_CHECKS).toSorted()).toEqual(BELIEFS.flatMap(({ id, trial }) => (trial === 'reads' ? id : [])).toSorted());
    expect(Object.keys(CHANGE_CHECKS).toSorted()).toEqual(BELIEFS.flatMap(({ id, trial }) => (trial === 'changes' ? id : [])).toSorted());
  });
});
