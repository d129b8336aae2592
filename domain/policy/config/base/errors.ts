/** Turns what zod found into lines that name the file, the path, the value and what would be right. */
import type { z } from 'zod';
import { field, isRecord } from '../../../core/unknown.ts';
import { nearest } from './nearest.ts';

export interface ConfigProblem {
  /** clusters.prod.region; empty for the whole file. */
  path: string;
  line?: number;
  message: string;
}

/** belay.yaml cannot be used as it is. The message has one line per problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: ConfigProblem[];

  constructor(fileName: string, problems: ConfigProblem[]) {
    super(problems.map((problem) => renderProblem(fileName, problem)).join('\n'));
    this.problems = problems;
  }
}

function renderProblem(fileName: string, { path, line, message }: ConfigProblem): string {
  return [line === undefined ? fileName : `${fileName}:${line}`, ...(path === '' ? [] : [path]), message].join(': ');
}

export type KeyPath = readonly (string | number)[];

/** `lineOf` finds the line of a path in the source; a key that is unknown or a value that is missing has its nearest place. */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  raw: unknown,
  jsonSchema: Record<string, unknown>,
  lineOf: (path: KeyPath) => number | undefined,
): ConfigProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: renderPath([...path, key]),
        line: lineOf([...path, key]),
        message: unknownKey(key, knownKeys(jsonSchema, path)),
      }));
    }
    return [{ path: renderPath(path), line: lineOf(path), message: wrongValue(valueAt(raw, path), issue) }];
  });
}

function unknownKey(key: string, known: string[]): string {
  const close = nearest(key, known);
  return close === undefined ? `unknown key; there are ${known.join(', ')}` : `unknown key; did you mean "${close}"?`;
}

/** `params` of a check whose error must not repeat the value: the text reaches logs and gates. */
export const HIDDEN = { hidden: true };

function wrongValue(value: unknown, issue: z.core.$ZodIssue): string {
  const right = issue.message;
  if (value === undefined || value === null) return issue.path.length === 0 ? `the file is empty; ${right}` : `is missing; ${right}`;
  if (issue.code === 'invalid_type' && issue.expected === 'object')
    return `${show(value)} is not a group of settings; write key: value lines below it`;
  if (issue.code === 'custom' && (typeof value === 'object' || issue.params?.['hidden'] === true)) return right;
  return `${show(value)} is not valid; ${right}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** clusters.prod.windows[0] */
export function renderPath(path: KeyPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

function valueAt(raw: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, key) => field(value, String(key)), raw);
}

/** Keys that the schema knows at a path; a record's values all have one shape. */
function knownKeys(jsonSchema: Record<string, unknown>, path: KeyPath): string[] {
  const at = path.reduce<unknown>(
    (schema, key) => field(field(schema, 'properties'), String(key)) ?? field(schema, 'additionalProperties') ?? field(schema, 'items'),
    jsonSchema,
  );
  const names = field(field(at, 'propertyNames'), 'enum');
  if (Array.isArray(names)) return names.map(String);
  const properties = field(at, 'properties');
  return isRecord(properties) ? Object.keys(properties) : [];
}
