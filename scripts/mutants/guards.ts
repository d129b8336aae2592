/** Guards of a source file, and the file without one of them, or with it turned around. */
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Expression, parse, type Statement } from 'acorn';

export interface Guard {
  file: string;
  /** From 1. */
  line: number;
  /** Of the condition. */
  start: number;
  end: number;
  condition: string;
  /** removed: it never strikes. inverted: it strikes where it should not. */
  change: 'removed' | 'inverted';
}

/** Every `if`, and every `&&` and `?:` that decides about a result. One that leaves is removed, others are inverted. Throws for a file that is no TypeScript. */
export function guardsOf(file: string, text: string): Guard[] {
  // Types become blanks, so that every place is where it was.
  const program = parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  const found: Guard[] = [];
  const add = ({ start, end, loc }: Expression, change: Guard['change']): void =>
    void found.push({ file, line: loc?.start.line ?? 0, start, end, condition: text.slice(start, end), change });
  const visit = (node: AnyNode): void => {
    if (node.type === 'IfStatement') add(node.test, node.alternate == null && leaves(node.consequent) ? 'removed' : 'inverted');
    else if (node.type === 'ConditionalExpression') add(node.test, 'inverted');
    else if (node.type === 'ReturnStatement') addAnd(node.argument);
    else if (node.type === 'ArrowFunctionExpression') addAnd(node.body);
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  const addAnd = (node: AnyNode | null | undefined): void => {
    if (node?.type === 'LogicalExpression' && node.operator === '&&') add(node.left, 'inverted');
  };
  visit(program);
  return found;
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;

const LEAVES = ['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement'];
function leaves(statement: Statement): boolean {
  const last = statement.type === 'BlockStatement' ? statement.body.at(-1) : statement;
  return last !== undefined && LEAVES.includes(last.type);
}

/** `text` with that guard changed. */
export function mutated(text: string, { start, end, condition, change }: Guard): string {
  const instead = change === 'removed' ? `(${condition}) && Boolean('')` : `!(${condition})`;
  return `${text.slice(0, start)}${instead}${text.slice(end)}`;
}

/** What a marked guard calls with its number, where there is one. */
export const MARK = 'guardReached';
/** In place of a number: something ran that marks say nothing of. */
export const OUT_OF_SIGHT = 'out of sight';

/** `text` with marks in its guards, each by its number. One that would be removed tells only when it strikes: else it would not be missed either. */
export function marked(text: string, guards: ReadonlyMap<number, Guard>): string {
  const parts = [...guards].flatMap(([number, { start, end, change }]) => {
    const mark = `globalThis.${MARK}?.(${number})`;
    const [before, after] = change === 'removed' ? ['((', `) && (${mark} ?? true))`] : [`(${mark}, (`, '))'];
    return [
      { at: start, part: before, length: end - start },
      { at: end, part: after, length: 0 },
    ];
  });
  let result = '';
  let from = 0;
  // Where two begin, the longer one contains the other.
  for (const { at, part } of parts.toSorted((one, other) => one.at - other.at || other.length - one.length)) {
    result += text.slice(from, at) + part;
    from = at;
  }
  return result + text.slice(from);
}

/** `count` of them, the same ones for the same seed. */
export function sampled<T>(items: readonly T[], count: number, seed: string): T[] {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0) || 1;
  // xorshift32: a sample that can be drawn again is all that is wanted.
  const next = (): number => {
    state = (state ^ (state << 13)) >>> 0;
    state = (state ^ (state >>> 17)) >>> 0;
    state = (state ^ (state << 5)) >>> 0;
    return state / 2 ** 32;
  };
  const left = [...items];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) taken.push(...left.splice(Math.floor(next() * left.length), 1));
  return taken;
}
