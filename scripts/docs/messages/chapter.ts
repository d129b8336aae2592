/** A chapter of docs/messages.md: the constructors of one file, with examples. The compiler sees that each has one and that it fits. */

type Constructor = (...args: never[]) => unknown;

/** One list of arguments per example, at least one for each constructor of the module `M`. */
type Examples<M> = {
  [K in keyof M as M[K] extends Constructor ? K : never]: M[K] extends (...args: infer A) => unknown
    ? readonly [Readonly<A>, ...Readonly<A>[]]
    : never;
};

export interface Chapter {
  title: string;
  /** Where the constructors are, from the root. A test holds `module` against it. */
  path: string;
  module: object;
  /** In the order in which the chapter tells them. */
  examples: object;
}

export const chapter = <M extends object>(title: string, path: string, module: M, examples: NoInfer<Examples<M>>): Chapter => ({
  title,
  path,
  module,
  examples,
});
