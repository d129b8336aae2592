/** Collects what is wrong with a payload, in the words of Slack's response_metadata. */
import { type Fields, isFields, textOf } from './shape.ts';

export class BlockCheck {
  readonly errors: string[] = [];

  fail(pointer: string, problem: string): void {
    this.errors.push(`[ERROR] ${problem} [json-pointer:${pointer}]`);
  }

  /** A string of 1 to `max` characters. Absent is fine unless `required`. */
  string(owner: Fields, field: string, pointer: string, max: number, options: { required?: boolean; emptyAllowed?: boolean } = {}): void {
    const value = owner[field];
    const at = `${pointer}/${field}`;
    if (value === undefined || value === null) {
      if (options.required === true) this.fail(pointer, `missing required field: ${field}`);
    } else if (typeof value !== 'string') this.fail(at, 'must provide a string');
    else if (value.length > max) this.fail(at, `must be less than ${max + 1} characters`);
    else if (value.length === 0 && options.emptyAllowed !== true) this.fail(at, 'must be more than 0 characters');
  }

  oneOf(owner: Fields, field: string, pointer: string, allowed: readonly string[]): void {
    const value = owner[field];
    if (value !== undefined && !allowed.some((one) => one === value))
      this.fail(`${pointer}/${field}`, `must be one of: ${allowed.join(', ')}`);
  }

  /** A text object. `plain`: only plain_text is allowed here. */
  text(owner: Fields, field: string, pointer: string, max: number, options: { plain?: boolean; required?: boolean } = {}): void {
    const value = owner[field];
    const at = `${pointer}/${field}`;
    if (value === undefined || value === null) {
      if (options.required === true) this.fail(pointer, `missing required field: ${field}`);
      return;
    }
    if (!isFields(value)) return this.fail(at, 'must provide an object');
    const allowed = options.plain === true ? ['plain_text'] : ['plain_text', 'mrkdwn'];
    if (!allowed.includes(textOf(value['type']) ?? '')) return this.fail(`${at}/type`, `must be one of: ${allowed.join(', ')}`);
    this.string(value, 'text', at, max, { required: true });
  }

  /** An array of `min` to `max` objects. */
  list(owner: Fields, field: string, pointer: string, min: number, max: number): Fields[] {
    const value = owner[field];
    const at = `${pointer}/${field}`;
    if (!Array.isArray(value)) {
      this.fail(pointer, `missing required field: ${field}`);
      return [];
    }
    if (value.length > max) this.fail(at, `no more than ${max} items allowed`);
    if (value.length < min) this.fail(at, `no fewer than ${min} items allowed`);
    value.forEach((item, index) => {
      if (!isFields(item)) this.fail(`${at}/${index}`, 'must provide an object');
    });
    return value.map((item) => (isFields(item) ? item : {}));
  }
}
