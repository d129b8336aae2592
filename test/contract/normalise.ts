/** Takes out of an answer what differs from run to run: times, uids, versions, ports, random suffixes; and the differences on purpose. */
import { dropOnPurpose } from './differences.ts';

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** As kubectl describe writes it. */
const LONG_TIME = /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g;
const RANDOM = '[bcdfghjklmnpqrstvwxz2456789]';

export class Normaliser {
  readonly #url: string;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #hidden: [RegExp, string][] = [];

  readonly #drop: (value: unknown) => unknown;

  constructor(url: string, minor: string) {
    this.#url = url;
    this.#drop = (value) => dropOnPurpose(value, minor);
  }

  /** `prefix` followed by five random characters becomes `prefix<random>`. */
  random(prefix: string): void {
    this.hide(new RegExp(`${prefix}${RANDOM}{5}(?![a-z0-9])`, 'g'), `${prefix}<random>`);
  }

  hide(what: RegExp, by: string): void {
    this.#hidden.push([what, by]);
  }

  clean(value: unknown): unknown {
    return this.#value(this.#drop(value), '');
  }

  /** Columns of a printed table are as wide as their widest cell, which may hold an age. */
  columns(text: string): string {
    return text
      .split('\n')
      .map((line) => line.replace(/ {2,}/g, '   ').trimEnd())
      .join('\n');
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.#text(value, key);
    if (Array.isArray(value)) return value.map((item) => this.#value(item, key));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([field, inner]): [string, unknown] => [
      field,
      key === 'metadata' && field === 'resourceVersion' && !('uid' in value) && !('creationTimestamp' in value)
        ? '<version>'
        : this.#value(inner, field),
    ]);
    return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  }

  #text(text: string, key: string): string {
    if (key === 'resourceVersion') return text === '' ? '' : this.#number(this.#versions, text, 'version');
    if (key === 'continue') return text === '' ? '' : '<continue>';
    let result = text
      .replaceAll(this.#url, '<server>')
      .replaceAll(this.#url.replace('https://', ''), '<address>')
      .replace(UID, (uid) => this.#number(this.#uids, uid, 'uid'))
      .replace(TIME, '<time>')
      .replace(LONG_TIME, '<time>')
      .replace(/([?&]continue=)[^&]+/g, '$1<continue>')
      .replace(/([?&]resourceVersion=)\d{2,}/g, '$1<version>')
      .replace(/(in record \()\d+/g, '$1<version>')
      // Where the server was built decides how it calls its files.
      .replace(/(in scheme ")[^"]+/g, '$1<scheme>');
    for (const [what, by] of this.#hidden) result = result.replace(what, by);
    return result;
  }

  #number(known: Map<string, string>, text: string, what: string): string {
    const name = known.get(text) ?? `<${what} ${known.size + 1}>`;
    known.set(text, name);
    return name;
  }
}
