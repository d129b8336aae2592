/** The values that a HelmRelease or an Application gives its chart: read, and changed at single places with everything else kept. Pure. */
import { parse, parseDocument } from 'yaml';
import { sameJson } from '../../runtime/same-json.ts';
import type { Scalar, ValueEdit } from '../../contract/delivery.ts';

export type Values = Record<string, unknown>;

/** What Argo CD's `helm` section says of values: parameters win over valuesObject, which replaces values (pkg/apis/application/v1alpha1, values.go). */
export interface HelmSection {
  values?: string;
  valuesObject?: Values;
  parameters?: { name?: string; value?: string; forceString?: boolean }[];
  valueFiles?: string[];
  fileParameters?: object[];
  [field: string]: unknown;
}

export function at(values: Values | undefined, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isMap(inner) ? inner[key] : undefined), values);
}

/** A copy with the edits. Maps that an emptied place leaves empty go too. */
export function edited(values: Values, edits: readonly ValueEdit[]): Values {
  return edits.reduce((all, { path, value }) => put(all, path, value), values);
}

function put(values: Values, [key = '', ...rest]: readonly string[], value: Scalar | undefined): Values {
  const inner = values[key];
  const next = rest.length === 0 ? value : innerAfter(isMap(inner) ? inner : undefined, rest, value);
  const { [key]: _before, ...others } = values;
  return next === undefined ? others : { ...values, [key]: next };
}

function innerAfter(inner: Values | undefined, rest: readonly string[], value: Scalar | undefined): Values | undefined {
  if (inner === undefined && value === undefined) return undefined;
  const after = put(inner ?? {}, rest, value);
  return Object.keys(after).length === 0 && inner !== undefined && Object.keys(inner).length > 0 ? undefined : after;
}

/** Values come from files too: which, nobody here reads. */
export const hasValueFiles = ({ valueFiles = [], fileParameters = [] }: HelmSection): boolean =>
  valueFiles.length + fileParameters.length > 0;

/** The values as Helm gets them from an Application's source, without those of files. */
export function valuesOfSection({ values, valuesObject, parameters = [] }: HelmSection): Values {
  const written = valuesObject ?? textOf(values);
  return parameters.reduce<Values>(
    (all, { name, value = '' }) => (name === undefined ? all : put(all, name.replace(/\[\d+\]$/, '').split('.'), value)),
    written,
  );
}

/** Each edit is made where the value stands: among the parameters, in valuesObject, or in the text of `values`, whose comments stay. */
export function editedSection(section: HelmSection, edits: readonly ValueEdit[]): HelmSection {
  let { parameters, valuesObject, values } = section;
  for (const edit of edits) {
    const name = edit.path.join('.');
    const named = parameters?.some((each) => each.name === name || each.name?.startsWith(`${name}[`) === true) === true;
    if (named) {
      const kept = parameters?.filter((each) => each.name !== name && each.name?.startsWith(`${name}[`) !== true) ?? [];
      parameters = edit.value === undefined ? kept : [...kept, { name, value: String(edit.value) }];
      if (edit.value !== undefined) continue;
    }
    if (valuesObject !== undefined || values === undefined || values === '') {
      valuesObject = valuesObject === undefined && edit.value === undefined ? undefined : edited(valuesObject ?? {}, [edit]);
    } else values = editedText(values, edit);
  }
  const next = { ...section, parameters, valuesObject, values };
  for (const key of ['parameters', 'valuesObject', 'values'] as const) {
    if (next[key] === undefined || (key === 'parameters' && parameters?.length === 0)) delete next[key];
  }
  return next;
}

/** Do the edits change anything? A parameter of an Application is a text, whatever it stands for. */
export const changes = (before: Values, edits: readonly ValueEdit[]): boolean =>
  edits.some(
    (edit) => !(isText(at(before, edit.path)) && at(before, edit.path) === String(edit.value)) && !sameJson(before, edited(before, [edit])),
  );

const isText = (value: unknown): value is string => typeof value === 'string';

/** One line for each edit that changes something: "revision: 1-26 → 1-28". The edits' own places only: other values may be secret. */
export function changeLines(before: Values, edits: readonly ValueEdit[]): string[] {
  return edits.flatMap((edit) => {
    if (!changes(before, [edit])) return [];
    const is = at(before, edit.path);
    const was = is === undefined ? 'not set' : typeof is === 'string' ? is : JSON.stringify(is).slice(0, 80);
    return [`${edit.path.join('.')}: ${was} → ${edit.value ?? 'not set'}`];
  });
}

/** What is no map gives none. */
function textOf(text: string | undefined): Values {
  const values: unknown = parse(text ?? '');
  return isMap(values) ? values : {};
}

function editedText(text: string, { path, value }: ValueEdit): string {
  const document = parseDocument(text);
  if (value === undefined) {
    if (!document.hasIn(path)) return text;
    document.deleteIn(path);
  } else document.setIn(path, value);
  return document.toString();
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
