/** Label selectors of query strings, read as k8s.io/apimachinery/pkg/labels reads them. */
import { badRequest } from './failures.ts';
import { badLabelValue, badQualifiedName } from './validation/names.ts';

export interface Requirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  values?: string[];
}

/** `a=b,c!=d,e in (f,g),h,!i`. Throws BadRequest in the server's words when it cannot be read. */
export function parseRequirements(text: string): Requirement[] {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  if (tokens.peek() === '') return requirements;
  for (;;) {
    const next = tokens.peek();
    if (next !== '!' && !isIdentifier(next)) throw wrong(`found '${next}', expected: !, identifier, or 'end of string'`);
    requirements.push(requirement(tokens));
    const after = tokens.next();
    if (after === '') return requirements;
    if (after !== ',') throw wrong(`found '${after}', expected: ',' or 'end of string'`);
    if (tokens.peek() !== '!' && !isIdentifier(tokens.peek())) throw wrong(`found '${tokens.peek()}', expected: identifier after ','`);
  }
}

function requirement(tokens: Tokens): Requirement {
  const negated = tokens.peek() === '!';
  if (negated) tokens.next();
  const key = tokens.next();
  if (!isIdentifier(key)) throw unreadable(`found '${key}', expected: identifier`);
  const bad = badQualifiedName(key);
  if (bad !== undefined) throw unreadable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${bad}`);
  const next = tokens.peek();
  if (negated || next === '' || next === ',') return { key, operator: negated ? 'DoesNotExist' : 'Exists' };
  const operator = OPERATORS[tokens.next()];
  if (operator === undefined) throw unreadable(`found '${next}', expected: in, notin, =, ==, !=, gt, lt`);
  const values = next === 'in' || next === 'notin' ? valueSet(tokens) : [exactValue(tokens)];
  for (const [index, value] of values.entries()) checkValue(key, operator, value, index);
  return { key, operator, values };
}

const OPERATORS: Record<string, Requirement['operator']> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
};

function valueSet(tokens: Tokens): string[] {
  const open = tokens.next();
  if (open !== '(') throw unreadable(`found '${open}' expected: '('`);
  const values: string[] = [];
  for (let value = ''; ; ) {
    const token = tokens.next();
    if (token === ')') return [...values, value];
    if (token === ',') {
      values.push(value);
      value = '';
    } else if (isIdentifier(token)) value = token;
    else throw unreadable(`found '${token}', expected: ',', ')' or identifier`);
  }
}

function exactValue(tokens: Tokens): string {
  const next = tokens.peek();
  if (next === '' || next === ',') return '';
  const value = tokens.next();
  if (!isIdentifier(value)) throw unreadable(`found '${value}', expected: identifier`);
  return value;
}

function checkValue(key: string, operator: Requirement['operator'], value: string, index: number): void {
  const shown = JSON.stringify(value);
  if ((operator === 'Gt' || operator === 'Lt') && !/^[+-]?\d+$/.test(value)) {
    throw unreadable(`values[${index}]: Invalid value: ${shown}: for 'Gt', 'Lt' operators, the value must be an integer`);
  }
  const bad = badLabelValue(value);
  if (bad !== undefined) throw unreadable(`values[${index}][${key}]: Invalid value: ${shown}: ${bad}`);
}

function wrong(why: string): Error {
  return badRequest(why);
}

function unreadable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}

const SPECIAL = /^(==|!=|[=!(),<>])/;

function isIdentifier(token: string): boolean {
  return token !== '' && !SPECIAL.test(token);
}

class Tokens {
  #rest: string;

  constructor(text: string) {
    this.#rest = text;
  }

  /** The next token, which stays; empty at the end. */
  peek(): string {
    this.#rest = this.#rest.trimStart();
    return SPECIAL.exec(this.#rest)?.[0] ?? /^[^\s=!(),<>]+/.exec(this.#rest)?.[0] ?? '';
  }

  next(): string {
    const token = this.peek();
    this.#rest = this.#rest.slice(token.length);
    return token;
  }
}
