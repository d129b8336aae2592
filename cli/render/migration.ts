/** A migration of manifests for people: the diff of each file, the reason of each change, and what is left to them. */
import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { count } from '../../domain/words.ts';
import type { FileMigration, MigratedFile } from '../migrate/karpenter-files.ts';

export function renderMigration({ files, added, byHand, questions }: FileMigration): string {
  if (files.length + added.length + byHand.length + questions.length === 0) return 'Nothing to migrate.';
  const asked = [
    ...files.flatMap(({ path, objects }) => objects.flatMap((each) => each.questions.map((text) => `${path}, ${each.name}: ${text}`))),
    ...questions,
  ];
  return [
    ...files.map(renderFile),
    ...added.map(({ object, why }) => `New, as ${why}:\n\n${stringify(object)}`),
    ...listed(
      `${count(byHand.length, 'file')} to change by hand`,
      byHand.map(({ path, why }) => `${path}: ${why}`),
    ),
    ...listed(`${count(asked.length, 'question')} that only you can answer`, asked),
  ].join('\n');
}

function renderFile({ path, text, after, objects }: MigratedFile): string {
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, text, after, undefined, undefined, { context: 2 });
  const reasons = objects.flatMap(({ name, reasons: own }) =>
    own.length === 0 ? [] : [`  ${name}`, ...own.map((reason) => `    ${reason}`)],
  );
  return [...(text === after ? [path] : [patch.replace(/^=+\n/, '').trimEnd()]), '', ...reasons, ''].join('\n');
}

const listed = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`), ''];
