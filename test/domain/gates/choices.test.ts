/** The table of what every choice does: complete, and nobody decides beside it whether one vote is enough. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHOICE_CLASSES, LOOSENABLE, needsQuorum } from '../../../domain/gates/choices.ts';
import { parseConfig } from '../../../worker/config/config.ts';
import { policyOf } from '../../../domain/policy/config/of-cluster.ts';

const fromYaml = (choices: string): string[] | undefined =>
  policyOf(
    parseConfig(
      `clusters: { prod: { region: eu-west-1, account: "123456789012", approvals: { users: [U0SAM], singleApprover: ${choices} } } }`,
      'belay.yaml',
    ),
    'prod',
  ).approvals.singleApprover;

/** Lines of workflow code, by file. */
function workflowSources(): { file: string; text: string }[] {
  const files = readdirSync('workflows', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.map((file) => ({ file, text: readFileSync(join('workflows', file), 'utf8') }));
}

describe('the class of every choice', () => {
  test.each([
    ['one approver', ['look-again', 'wait', 'keep-frozen', 'reject', 'abort', 'abort-and-rollback', 'stop', 'undo', 'ask-force'], false],
    ['the rules', ['approve', 'retry', 'skip', 'skip-node', 'promote', 'go-on', 'go-anyway', 'roll-back', 'end-bake', 'set-pace'], true],
    ['the rules', ['force', 'overwrite', 'delete-pod', 'roll-and-delete', 'cascade', 'lift-and-roll'], true],
  ] as const)('RS5: by default %s: %j', (_who, ids, asks) => {
    expect(ids.filter((id) => needsQuorum(id, {}) !== asks)).toEqual([]);
  });

  test('RS5: no gate says for itself that one vote is enough, and none gets a choice past the table', () => {
    const sources = workflowSources();
    expect(sources.length).toBeGreaterThan(80);
    const elsewhere = sources
      .filter(({ file }) => file !== 'gates/gate-request.ts')
      .filter(({ text }) => /needsQuorum[:?]|as ChoiceId/.test(text));
    expect(elsewhere.map(({ file }) => file)).toEqual([]);
  });

  test('RS5: no class is left over from a choice that nothing offers any more', () => {
    const all = [...workflowSources().map(({ text }) => text), readFileSync('domain/plan/migration/checklist-v1beta1.ts', 'utf8')].join();
    expect(Object.keys(CHOICE_CLASSES).filter((id) => !all.includes(`'${id}'`))).toEqual([]);
  });

  test('RS5: belay.yaml leaves choices to one approver by name, never Approve, and only those that need more', () => {
    expect(fromYaml('[retry, delete-pod]')).toEqual(['retry', 'delete-pod']);
    expect(needsQuorum('retry', { singleApprover: ['retry'] })).toBe(false);
    expect(needsQuorum('skip', { singleApprover: ['retry'] })).toBe(true);
    // A history, or a file that was never checked.
    expect(needsQuorum('approve', { singleApprover: ['approve'] })).toBe(true);
    for (const not of ['approve', 'abort', 'retyr']) expect(() => fromYaml(`[${not}]`)).toThrow(/approvals\.singleApprover/);
    expect(LOOSENABLE).not.toContain('approve');
  });
});
