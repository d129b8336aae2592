/** Sets of field paths, as `fieldsV1` writes them: sigs.k8s.io/structured-merge-diff, fieldpath.Set. */
import { isObject } from '../json.ts';

const SELF = '.';

/** Steps: "f:spec", 'k:{"name":"app"}', 'v:"belay.dev/a"'. A set is a tree; a node that is no member only leads to members. */
export class FieldSet {
  #isMember = false;
  readonly #children = new Map<string, FieldSet>();

  static fromJson(value: unknown): FieldSet {
    const set = new FieldSet();
    if (isObject(value)) for (const [step, inner] of Object.entries(value)) if (step !== SELF) set.#take(step, inner);
    return set;
  }

  #take(step: string, value: unknown): void {
    const child = FieldSet.fromJson(value);
    child.#isMember = !isObject(value) || SELF in value || child.#children.size === 0;
    this.#children.set(step, child);
  }

  get isEmpty(): boolean {
    return !this.#isMember && this.#children.size === 0;
  }

  insert(path: readonly string[]): void {
    const [step, ...rest] = path;
    if (step === undefined) return void (this.#isMember = true);
    const child = this.#children.get(step) ?? new FieldSet();
    this.#children.set(step, child);
    child.insert(rest);
  }

  has(path: readonly string[]): boolean {
    const [step, ...rest] = path;
    return step === undefined ? this.#isMember : (this.#children.get(step)?.has(rest) ?? false);
  }

  union(other: FieldSet): FieldSet {
    const result = this.filter(() => true);
    other.each((path) => result.insert(path));
    return result;
  }

  /** Without the members of the other; what lies below one of them stays. */
  minus(other: FieldSet): FieldSet {
    return other.isEmpty ? this : this.filter((path) => !other.has(path));
  }

  /** May one of its members be in the set that is written so? */
  touches(value: unknown): boolean {
    if (!isObject(value)) return false;
    if (this.#isMember) return true;
    for (const [step, child] of this.#children) if (step in value && child.touches(value[step])) return true;
    return false;
  }

  filter(keeps: (path: readonly string[]) => boolean): FieldSet {
    const result = new FieldSet();
    this.each((path) => {
      if (keeps(path)) result.insert(path);
    });
    return result;
  }

  each(visit: (path: readonly string[]) => void, path: readonly string[] = []): void {
    if (this.#isMember) visit(path);
    for (const [step, child] of this.#children) child.each(visit, [...path, step]);
  }

  /** With sorted steps. */
  toJson(): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    if (this.#isMember && this.#children.size > 0) result[SELF] = {};
    for (const step of [...this.#children.keys()].sort()) result[step] = this.#children.get(step)?.toJson();
    return result;
  }
}
