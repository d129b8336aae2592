/**
 * Whether what Belay has changed stands in code, too, as far as the object in the cluster tells, and what Flux or Argo CD say of bringing code there.
 * What does not tell is unknown, never merged.
 */
import { stableJson } from '../../core/stable-json.ts';
import { field } from '../../core/unknown.ts';
import type { IacField, IacNote } from './note.ts';
import { MERGED_WORDS, type MergeFinding } from '../record/merge-finding.ts';

/** Over unmergedLines of a run that has just ended. */
export const NOT_MERGED_YET = 'Not merged yet, as far as could be seen when the run ended';

/** Of a note, what says where in the cluster one can see it. */
export type MergeQuestion = Pick<IacNote, 'object' | 'when' | 'fields'> & {
  /** Fields that are not asked about, as there are too many. */
  leftOut?: number;
};

/** As far as it is looked at. */
export interface SeenObject {
  metadata: {
    annotations?: Record<string, string>;
    managedFields?: { manager?: string; operation?: string; fieldsV1?: unknown }[];
  };
}

/** What Flux or Argo CD say of bringing to an object what code says. */
export interface SyncState {
  /** "Kustomization flux-system/apps" */
  by: string;
  kind: 'synced' | 'behind' | 'unknown';
  /** Goes on after `by`: "is suspended". */
  why: string;
  /** It compares what code declares with the object, as Argo CD does: where they are in step, code says nothing else. */
  compares?: true;
}

type Verdict = Omit<MergeFinding, 'object'>;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const WORST: readonly Verdict['state'][] = ['taken-back', 'not-merged', 'not-synced', 'unknown', 'merged'];

/**
 * `seen`: the object of each field of the note, in their order; undefined: it is not there any more. `syncs`: what is said of each object, by itself
 * where it delivers something, and by what delivers it.
 */
export function judgeMerge(
  { object, when, fields = [], leftOut = 0 }: MergeQuestion,
  seen: readonly (SeenObject | undefined)[],
  syncs: readonly (readonly SyncState[])[] = [],
): MergeFinding {
  if (when !== undefined)
    return { object, state: 'unknown', why: 'whether code declares it is not to be seen here: have that code planned' };
  if (fields.length === 0) return { object, state: 'unknown', why: 'the objects in the cluster do not tell: compare its file with them' };
  const verdicts = fields.map((each, index) => withSync(judge(each, seen[index]), syncs[index] ?? []));
  const worst = verdicts.toSorted((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state))[0];
  if (worst?.state === 'merged' && leftOut > 0)
    return { object, state: 'unknown', why: `${worst.why}; ${leftOut} more of its fields were not looked at: there are too many` };
  return { object, ...(worst ?? { state: 'unknown', why: 'nothing was looked at' }) };
}

/** "NOT SYNCED: HelmRelease karpenter/karpenter: …", the worst first. None: all of it is merged, and applied. */
export function unmergedLines(merges: readonly MergeFinding[]): string[] {
  return merges
    .filter(({ state }) => state !== 'merged')
    .toSorted((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state))
    .map(({ object, state, why }) => `${MERGED_WORDS[state]}: ${object}: ${why}`);
}

function judge(wanted: IacField, object: SeenObject | undefined): Verdict {
  const where = `${wanted.object.plural}/${wanted.object.name}`;
  if (object === undefined) return { state: 'unknown', why: `${where} is not there any more` };
  const path = pathIn(object, wanted);
  const live = valueAt(object, path);
  const what = `${where} ${path.join('.')}`;
  if (!same(live, wanted.value)) return { state: 'taken-back', why: `${what} says ${words(live)}, not ${words(wanted.value)}` };
  const applied = valueAt(lastApplied(object), path);
  if (applied !== undefined && !same(applied, wanted.value))
    return { state: 'not-merged', why: `${what} was last applied as ${words(applied)}: the next apply takes it back` };
  if (applied !== undefined) return { state: 'merged', why: `${what} was applied as ${words(applied)}` };
  const applier = (object.metadata.managedFields ?? []).find(({ operation, fieldsV1 }) => operation === 'Apply' && owns(fieldsV1, path));
  // Whoever applied another value has lost the field to Belay's change.
  if (applier !== undefined) return { state: 'merged', why: `${applier.manager ?? 'somebody'} applies ${what} as ${words(live)}` };
  return { state: 'unknown', why: `nothing on ${where} tells what its file says` };
}

function withSync(verdict: Verdict, syncs: readonly SyncState[]): Verdict {
  const { state, why } = verdict;
  const behind = syncs.find(({ kind }) => kind === 'behind');
  if (behind !== undefined)
    return { state: WORST.indexOf(state) < WORST.indexOf('not-synced') ? state : 'not-synced', why: and(why, behind) };
  if (state !== 'merged' && state !== 'unknown') return verdict;
  const unseen = syncs.find(({ kind }) => kind === 'unknown');
  if (unseen !== undefined) return { state: 'unknown', why: and(why, unseen) };
  if (state === 'merged') return { state, why: syncs.reduce(and, why) };
  const inStep = syncs.find(({ compares }) => compares === true);
  return inStep === undefined ? verdict : { state: 'merged', why: `${inStep.by} ${inStep.why}` };
}

const and = (why: string, sync: SyncState): string => `${why}; ${sync.by} ${sync.why}`;

/** Of several sources that of the chart. */
function pathIn(object: SeenObject, { path, chart }: IacField): string[] {
  const sources = field(field(object, 'spec'), 'sources');
  if (chart === undefined || !Array.isArray(sources)) return path;
  const index = sources.findIndex((source: unknown) => {
    const name = field(source, 'chart');
    return typeof name === 'string' && (name === chart || name.endsWith(`/${chart}`));
  });
  return ['spec', 'sources', String(index), ...path.slice(2)];
}

function lastApplied({ metadata }: SeenObject): unknown {
  try {
    return JSON.parse(metadata.annotations?.[LAST_APPLIED] ?? 'null');
  } catch {
    return undefined;
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => field(at, key), value);
}

/** kubernetes.io, "Server-Side Apply", "Field management": one key "f:<name>" per level; {} where all below it is owned. */
function owns(fieldsV1: unknown, path: readonly string[]): boolean {
  return (
    valueAt(
      fieldsV1,
      path.map((key) => `f:${key}`),
    ) !== undefined
  );
}

/** The API server keeps the order of keys that was sent. */
const same = (a: unknown, b: unknown): boolean => stableJson(a) === stableJson(b);

const words = (value: unknown): string =>
  (typeof value === 'string' ? value : value === undefined ? 'nothing' : stableJson(value)).slice(0, 200);
