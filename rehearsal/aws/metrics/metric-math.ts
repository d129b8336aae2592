/** A small part of CloudWatch's metric math: ids, numbers, + - * /, brackets and FILL(id, number), over values at one moment. */
import { AwsError } from '../eks/errors.ts';

/** undefined: no datapoint. */
type Value = number | undefined;
export type Expression = (valueOf: (id: string) => Value) => Value;

const TOKEN = /\s*([A-Za-z][A-Za-z0-9_]*|\d+(?:\.\d+)?|[-+*/(),])/y;
const OPERATIONS: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

const both =
  (operate: (a: number, b: number) => number, left: Expression, right: Expression): Expression =>
  (valueOf) => {
    const [a, b] = [left(valueOf), right(valueOf)];
    const result = a === undefined || b === undefined ? undefined : operate(a, b);
    return Number.isFinite(result) ? result : undefined;
  };

class Parser {
  readonly #text: string;
  readonly #known: readonly string[];
  readonly #tokens: string[] = [];

  constructor(text: string, known: readonly string[]) {
    this.#text = text;
    this.#known = known;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) this.#tokens.push(TOKEN.exec(text)?.[1] ?? this.#fail());
  }

  parse(): Expression {
    const expression = this.#chain(['+', '-'], () => this.#chain(['*', '/'], () => this.#primary()));
    return this.#tokens.length === 0 ? expression : this.#fail();
  }

  #chain(operators: readonly string[], inner: () => Expression): Expression {
    let left = inner();
    for (;;) {
      const [next = ''] = this.#tokens;
      const operate = operators.includes(next) ? OPERATIONS[next] : undefined;
      if (operate === undefined) return left;
      this.#tokens.shift();
      left = both(operate, left, inner());
    }
  }

  #primary(): Expression {
    const token = this.#tokens.shift() ?? this.#fail();
    if (token === '(') {
      const inner = this.#chain(['+', '-'], () => this.#chain(['*', '/'], () => this.#primary()));
      this.#expect(')');
      return inner;
    }
    if (/^\d/.test(token)) return () => Number(token);
    if (token === 'FILL') {
      this.#expect('(');
      const of = this.#primary();
      this.#expect(',');
      const filling = this.#primary();
      this.#expect(')');
      return (valueOf) => of(valueOf) ?? filling(valueOf);
    }
    return this.#known.includes(token) ? (valueOf) => valueOf(token) : this.#fail();
  }

  #expect(token: string): void {
    if (this.#tokens.shift() !== token) this.#fail();
  }

  #fail(): never {
    throw new AwsError(400, 'ValidationError', `Error in expression '${this.#text}': Unsupported or unknown part`);
  }
}

/** Throws AwsError where it is no expression, or names what is not among `known`. */
export const metricMath = (text: string, known: readonly string[]): Expression => new Parser(text, known).parse();
