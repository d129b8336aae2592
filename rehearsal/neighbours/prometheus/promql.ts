/** A small part of PromQL as a tree: selectors, aggregations, a few functions, arithmetic and comparisons. */

export interface Matcher {
  label: string;
  op: '=' | '!=' | '=~' | '!~';
  value: string;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^' | '==' | '!=' | '<=' | '<' | '>=' | '>' | 'and' | 'or' | 'unless';

export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'selector'; matchers: Matcher[]; rangeMs?: number }
  | { kind: 'aggregate'; op: string; by?: string[]; without?: string[]; inner: Expression }
  | { kind: 'call'; name: string; args: Expression[] }
  | { kind: 'binary'; op: BinaryOperator; bool: boolean; left: Expression; right: Expression };

/** Says where and what, as Prometheus does: "1:5: parse error: unexpected end of input". */
export class PromqlError extends Error {}

const AGGREGATIONS = ['sum', 'count', 'min', 'max', 'avg'];
const FUNCTIONS = ['rate', 'irate', 'increase', 'vector', 'scalar', 'absent', 'time', 'abs', 'histogram_quantile'];
/** From loose to tight. */
const PRECEDENCE: BinaryOperator[][] = [['or'], ['and', 'unless'], ['==', '!=', '<=', '<', '>=', '>'], ['+', '-'], ['*', '/', '%'], ['^']];
const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const TOKEN =
  /\s*(?:(?<duration>(?:\d+(?:ms|[smhdw]))+(?![\w.]))|(?<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?!\w)|(?:Inf|NaN)\b)|(?<name>[a-zA-Z_:][\w:]*)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<sign>=~|!~|!=|==|<=|>=|[-+*/%^<>=(){}[\],]))/y;

interface Token {
  kind: 'duration' | 'number' | 'name' | 'string' | 'sign' | 'end';
  text: string;
  at: number;
}

function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < query.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(query)?.groups;
    if (groups === undefined)
      throw new PromqlError(`1:${at + 1}: parse error: unexpected character: ${JSON.stringify(query.slice(at).trim()[0] ?? '')}`);
    const kind = (['duration', 'number', 'name', 'string', 'sign'] as const).find((one) => groups[one] !== undefined) ?? 'end';
    const text = groups[kind] ?? '';
    tokens.push({ kind, text, at: TOKEN.lastIndex - text.length });
  }
  return [...tokens, { kind: 'end', text: '', at: query.length }];
}

class Parser {
  readonly #tokens: Token[];
  #next = 0;

  constructor(query: string) {
    this.#tokens = tokensOf(query);
  }

  parse(): Expression {
    if (this.#peek().kind === 'end') throw new PromqlError('1:1: parse error: no expression found in input');
    const expression = this.#binary(0);
    if (this.#peek().kind !== 'end') this.#unexpected();
    return expression;
  }

  #binary(level: number): Expression {
    const operators = PRECEDENCE[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const op = operators.find((one) => one === this.#peek().text && this.#peek().kind !== 'string');
      if (op === undefined) return left;
      this.#next += 1;
      const bool = this.#take('bool');
      left = { kind: 'binary', op, bool, left, right: this.#binary(level + 1) };
    }
  }

  #unary(): Expression {
    if (this.#take('+')) return this.#unary();
    if (this.#take('-')) return { kind: 'binary', op: '*', bool: false, left: { kind: 'number', value: -1 }, right: this.#unary() };
    return this.#primary();
  }

  #primary(): Expression {
    const token = this.#peek();
    if (this.#take('(')) {
      const inner = this.#binary(0);
      this.#expect(')');
      return inner;
    }
    if (token.kind === 'number') {
      this.#next += 1;
      return { kind: 'number', value: token.text === 'Inf' ? Number.POSITIVE_INFINITY : Number(token.text) };
    }
    if (token.text === '{') return this.#selector(undefined);
    if (token.kind !== 'name') this.#unexpected();
    this.#next += 1;
    if (AGGREGATIONS.includes(token.text)) return this.#aggregate(token.text);
    if (this.#peek().text !== '(') return this.#selector(token.text);
    if (!FUNCTIONS.includes(token.text))
      throw new PromqlError(`1:${token.at + 1}: parse error: unknown function with name "${token.text}"`);
    this.#expect('(');
    const args: Expression[] = [];
    while (!this.#take(')')) {
      if (args.length > 0) this.#expect(',');
      args.push(this.#binary(0));
    }
    return { kind: 'call', name: token.text, args };
  }

  #aggregate(op: string): Expression {
    const before = this.#grouping();
    this.#expect('(');
    const inner = this.#binary(0);
    this.#expect(')');
    return { kind: 'aggregate', op, ...before, ...this.#grouping(), inner };
  }

  #grouping(): { by?: string[]; without?: string[] } {
    const mode = this.#take('by') ? 'by' : this.#take('without') ? 'without' : undefined;
    if (mode === undefined) return {};
    this.#expect('(');
    const labels: string[] = [];
    while (!this.#take(')')) {
      if (labels.length > 0) this.#expect(',');
      labels.push(this.#name());
    }
    return mode === 'by' ? { by: labels } : { without: labels };
  }

  #selector(name: string | undefined): Expression {
    const matchers: Matcher[] = name === undefined ? [] : [{ label: '__name__', op: '=', value: name }];
    if (this.#take('{')) {
      while (!this.#take('}')) {
        const label = this.#name();
        const op = (['=', '!=', '=~', '!~'] as const).find((one) => this.#take(one)) ?? this.#unexpected();
        matchers.push({ label, op, value: this.#string() });
        if (this.#peek().text !== '}') this.#expect(',');
      }
    }
    if (!this.#take('[')) return { kind: 'selector', matchers };
    const token = this.#peek();
    if (token.kind !== 'duration') this.#unexpected();
    this.#next += 1;
    this.#expect(']');
    const rangeMs = [...token.text.matchAll(/(\d+)(ms|[smhdw])/g)].reduce(
      (sum, [, count, unit]) => sum + Number(count) * (UNIT_MS[unit ?? ''] ?? 0),
      0,
    );
    return { kind: 'selector', matchers, rangeMs };
  }

  #name(): string {
    const token = this.#peek();
    if (token.kind !== 'name') this.#unexpected();
    this.#next += 1;
    return token.text;
  }

  #string(): string {
    const token = this.#peek();
    if (token.kind !== 'string') this.#unexpected();
    this.#next += 1;
    return token.text.slice(1, -1).replace(/\\(.)/g, '$1');
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: '', at: 0 };
  }

  #take(text: string): boolean {
    const token = this.#peek();
    const found = token.text === text && (token.kind === 'sign' || token.kind === 'name');
    if (found) this.#next += 1;
    return found;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#unexpected();
  }

  #unexpected(): never {
    const { kind, text, at } = this.#peek();
    throw new PromqlError(`1:${at + 1}: parse error: unexpected ${kind === 'end' ? 'end of input' : JSON.stringify(text)}`);
  }
}

/** Throws a PromqlError that says where the query is wrong. */
export function parsePromql(query: string): Expression {
  return new Parser(query).parse();
}
