/** A migration of manifests for people: the diff of each file, the reason of each change, and what is left to them. */
import { createTwoFilesPatch } from 'diff';
import pc from 'picocolors';
import { stringify } from 'yaml';
import { KEEPERS } from '../../domain/facts/owners.ts';
import { count } from '../../domain/core/text.ts';
import type { StepState } from '../../domain/plan/migration/checklist.ts';
import type { IamReport } from '../../domain/plan/migration/iam.ts';
import type { Gap } from '../../domain/plan/migration/policy-document.ts';
import type { MigratedFile } from '../migrate/karpenter-files.ts';
import type { Migration } from '../migrate/migration.ts';
import {
  filesByHand,
  migrationSteps,
  nothingToMigrate,
  policyAllowsAll,
  policyStaysBeside,
  questionsForYou,
  writtenByOthers,
} from '../messages/views.ts';

export function renderMigration(migration: Migration): string {
  const parts = [renderSteps(migration), renderFiles(migration), migration.iam === undefined ? '' : renderIam(migration.iam)];
  return parts.filter((part) => part !== '').join('\n');
}

const MARKS: Record<StepState, string> = {
  done: pc.green('✓'),
  open: pc.yellow('○'),
  broken: pc.red('✗'),
  unknown: pc.yellow('?'),
};

function renderSteps({ steps = [], unknowns = [] }: Migration): string {
  if (steps.length === 0) return '';
  const lines = steps.flatMap(({ title, state, seen, fix }, index) => [
    `${MARKS[state]} ${index + 1}. ${title}`,
    `     ${seen}`,
    ...(fix ?? '').split('\n').flatMap((line, number) => (line === '' ? [] : [`     ${number === 0 ? '→' : '  ·'} ${line}`])),
  ]);
  const unread = unknowns.map(({ what, why }) => `${what}: ${why}`);
  return [migrationSteps(), ...lines, '', ...listed('Could not be read', unread)].join('\n');
}

function renderIam({ gaps, before }: IamReport): string {
  const said = ({ action, resource, why }: Gap): string => `${action}${resource === undefined ? '' : ` on ${resource}`}: ${why}`;
  if (gaps.length + before.length === 0) return `${policyAllowsAll()}\n`;
  return [
    ...listed(`IAM policy: ${count(gaps.length, 'gap')}`, gaps.map(said)),
    ...(gaps.length > 0 ? [] : listed(policyStaysBeside(), before.map(said))),
  ].join('\n');
}

function renderFiles({ files, added, byHand, questions, steps, iam, delivered = [] }: Migration): string {
  if (files.length + added.length + byHand.length + questions.length === 0)
    return steps === undefined && iam === undefined ? nothingToMigrate() : '';
  const asked = [
    ...files.flatMap(({ path, objects }) => objects.flatMap((each) => each.questions.map((text) => `${path}, ${each.name}: ${text}`))),
    ...questions,
  ];
  return [
    ...files.map(renderFile),
    ...added.map(({ object, why }) => `New, as ${why}:\n\n${stringify(object)}`),
    ...listed(
      writtenByOthers(),
      delivered.map(({ path, by }) => `${path}: ${OWNERS[by] ?? by}`),
    ),
    ...listed(
      filesByHand(byHand.length),
      byHand.map(({ path, why }) => `${path}: ${why}`),
    ),
    ...listed(questionsForYou(asked.length), asked),
  ].join('\n');
}

const OWNERS: Record<string, string> = { ...KEEPERS, helm: 'a Helm release' };

function renderFile({ path, text, after, objects }: MigratedFile): string {
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, text, after, undefined, undefined, { context: 2 });
  const reasons = objects.flatMap(({ name, reasons: own }) =>
    own.length === 0 ? [] : [`  ${name}`, ...own.map((reason) => `    ${reason}`)],
  );
  return [...(text === after ? [path] : [patch.replace(/^=+\n/, '').trimEnd()]), '', ...reasons, ''].join('\n');
}

const listed = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ''];
