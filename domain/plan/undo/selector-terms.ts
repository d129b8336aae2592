/** What the last run changed in how node classes choose AMIs, and what they chose before it. */
import { parseAlias } from '../../facts/ami-names.ts';
import { isRecord } from '../../core/unknown.ts';
import { selectionWords } from '../karpenter/ami-changes.ts';
import type { SelectorTerm } from '../model/changes.ts';
import { changedBy, type LastRun, paramsIn } from './last-run.ts';
import type { UndoSeen } from './undo-input.ts';

export interface ClassChange {
  name: string;
  /** In words: "al2023@v20250403", "ami-1, ami-2". */
  before: string;
  reached: string[];
}

/** In the order of the run. Classes for which it looked for a release to promote are there as well: which it found is in no plan. */
export function changedClasses(run: LastRun): ClassChange[] {
  const moves = paramsIn(run, ['karpenter-drift', 'node-classes-back']).flatMap((params) => params.moves ?? []);
  const planned = changedBy(moves.map(({ nodeClass, before, terms }) => ({ name: nodeClass, from: before, to: selectionWords(terms) })));
  const late = paramsIn(run, ['karpenter-drift']).flatMap(({ unpromoted = [] }) => unpromoted);
  const added = late.filter(({ nodeClass }) => !planned.has(nodeClass));
  return [
    ...[...planned].map(([name, change]) => ({ name, ...change })),
    ...added.map(({ nodeClass, chooses }) => ({ name: nodeClass, before: chooses, reached: [] })),
  ];
}

/** undefined: by names, tags or parameters, of which nobody knows what they mean today. */
export function termsBefore({ before }: ClassChange): SelectorTerm[] | undefined {
  if (parseAlias(before) !== undefined) return [{ alias: before }];
  const ids = before.split(', ');
  return ids.every((id) => id.startsWith('ami-')) ? ids.map((id) => ({ id })) : undefined;
}

/** As the rollback point has them; undefined: it is not there, or was cut. */
export function termsInPoint({ point }: Pick<UndoSeen, 'point'>, name: string): Record<string, unknown>[] | undefined {
  const terms = point?.nodeClasses.find((each) => each.name === name)?.amiSelectorTerms;
  return Array.isArray(terms) && terms.every(isRecord) ? terms : undefined;
}

/** Aliases and ids of all images that a way back of these classes could need. */
export function imagesWanted(run: LastRun): { aliases: string[]; ids: string[] } {
  const terms = changedClasses(run).flatMap((change) => termsBefore(change) ?? []);
  return { aliases: [...new Set(terms.flatMap(({ alias }) => alias ?? []))], ids: [...new Set(terms.flatMap(({ id }) => id ?? []))] };
}

/** "al2023@v1", "ami-1, ami-2", else the terms themselves. */
export function termsWords(terms: readonly Record<string, unknown>[]): string {
  const simple = terms.flatMap(({ alias, id }): SelectorTerm[] =>
    typeof alias === 'string' ? [{ alias }] : typeof id === 'string' ? [{ id }] : [],
  );
  return simple.length === terms.length ? selectionWords(simple) : JSON.stringify(terms);
}
