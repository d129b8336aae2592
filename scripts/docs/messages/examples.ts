/** Examples of messages, by the constructor that makes them: the compiler sees that each constructor has one and that it fits. */

type Constructor = (...args: never[]) => unknown;

/** One list of arguments per example, at least one for each constructor of the module `M`. */
export type Examples<M> = {
  [K in keyof M as M[K] extends Constructor ? K : never]: M[K] extends (...args: infer A) => unknown
    ? readonly [Readonly<A>, ...Readonly<A>[]]
    : never;
};
