/**
 * Cuts an object down to an allow-list of paths. What no path names is not in the result, whatever an API adds to its objects one day.
 *
 * A path is its fields with dots between: `spec.containers[].resources.requests.*`. `[]` goes into a list, `*` into each value of a map whose keys are
 * kept, and `=name` at the end keeps what a stand-in of stand-ins.ts makes of the value. The last field is kept where it is text, a number, true, false
 * or null. Objects on the way are kept even where they are empty: an empty selector selects all, an absent one nothing.
 */
import { isRecord } from '../../core/unknown.ts';
import { type MarksKept, NO_MARKS, keptAnnotations, keptLabels } from './marks.ts';
import { shortened, STAND_INS, type StandIn } from './stand-ins.ts';

/** What is kept of a value: compiled paths. */
export interface Shape {
  fields: Map<string, Shape>;
  each?: Shape;
  items?: Shape;
  scalar?: true;
  /** `labels` and `annotations`: those of marks.ts. */
  standIn?: StandIn | 'labels' | 'annotations';
}

/** Throws for a path that names a stand-in that there is not. */
export function shapeOf(paths: readonly string[]): Shape {
  const root: Shape = { fields: new Map() };
  for (const path of paths) add(root, path);
  return root;
}

function add(root: Shape, path: string): void {
  const [way = '', standIn] = path.split('=');
  let at = root;
  for (const step of way.split('.')) {
    const name = step.replace(/(?:\[\])+$/, '');
    at = name === '*' ? (at.each ??= empty()) : fieldOf(at, name);
    for (let depth = (step.length - name.length) / 2; depth > 0; depth -= 1) at = at.items ??= empty();
  }
  if (standIn === undefined) at.scalar = true;
  else if (isStandIn(standIn)) at.standIn = standIn;
  else throw new Error(`allow-list: ${path} names no stand-in`);
}

const empty = (): Shape => ({ fields: new Map() });

function fieldOf(shape: Shape, name: string): Shape {
  const known = shape.fields.get(name) ?? empty();
  shape.fields.set(name, known);
  return known;
}

const isStandIn = (name: string): name is NonNullable<Shape['standIn']> =>
  name === 'labels' || name === 'annotations' || Object.hasOwn(STAND_INS, name);

/** undefined: nothing of it is kept. Dates stay what they are. `marks`: which labels and annotations are kept; default: none. */
export function project(value: unknown, shape: Shape, marks: MarksKept = NO_MARKS): unknown {
  const { standIn } = shape;
  if (standIn === 'labels') return keptLabels(value, marks);
  if (standIn === 'annotations') return keptAnnotations(value, marks);
  if (standIn !== undefined) return value === undefined ? undefined : STAND_INS[standIn](value);
  if (Array.isArray(value)) return shape.items === undefined ? undefined : projectItems(value, shape.items, marks);
  if (value instanceof Date) return shape.scalar === true ? value : undefined;
  if (isRecord(value)) return projectFields(value, shape, marks);
  if (shape.scalar !== true) return value === null && hasFields(shape) ? null : undefined;
  return typeof value === 'string' ? shortened(value) : value;
}

function projectItems(values: readonly unknown[], shape: Shape, marks: MarksKept): unknown[] {
  return values.flatMap((each) => {
    const kept = project(each, shape, marks);
    return kept === undefined ? [] : [kept];
  });
}

function projectFields(value: Record<string, unknown>, shape: Shape, marks: MarksKept): Record<string, unknown> | undefined {
  if (!hasFields(shape)) return undefined;
  const kept: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const below = shape.fields.get(name) ?? shape.each;
    const result = below === undefined ? undefined : project(inner, below, marks);
    if (result !== undefined) kept.push([name, result]);
  }
  return Object.fromEntries(kept);
}

const hasFields = ({ fields, each, items }: Shape): boolean => fields.size > 0 || each !== undefined || items !== undefined;
