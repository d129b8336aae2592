/**
 * Two accounts may each have a cluster "main": belay.yaml, ids, locks, records and people know a cluster by its key, EKS by its own name. Which of the two is
 * asked for is decided here alone, where a request leaves for EKS.
 */

/** Members of EKS's requests that name a cluster: `name` in those about the cluster itself, `clusterName` in all others (API reference, Request parameters). */
const NAMED_BY = ['name', 'clusterName'] as const;

/** For the middleware stack of an EKS client: requests for the cluster `key` go out for the one that EKS calls `eksName`. */
export function underEksName(key: string, eksName: string) {
  return {
    middleware:
      <Args extends { input: object }, Result>(next: (args: Args) => Promise<Result>) =>
      (args: Args): Promise<Result> =>
        next({ ...args, input: askingFor(args.input, key, eksName) }),
    // Before the request is made of the input.
    options: { step: 'initialize', name: 'belayEksName' },
  } as const;
}

/** A request of EKS about the cluster `from`, as one about `to`. */
export function askingFor<Input extends object>(input: Input, from: string, to: string): Input {
  const named = NAMED_BY.filter((member) => member in input && Reflect.get(input, member) === from);
  return { ...input, ...Object.fromEntries(named.map((member) => [member, to])) };
}
