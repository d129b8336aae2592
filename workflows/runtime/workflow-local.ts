/**
 * What belongs to one workflow alone. Workflows of a thread share their modules (`preloadModules` in worker/temporal/workflow-bundle.ts), so that nothing of
 * one may stand in a variable of a module. The global object is each workflow's own: the SDK changes it with each turn (`__TEMPORAL_CALL_INTO_SCOPE` in
 * @temporalio/worker, lib/workflow/reusable-vm.js).
 */

/** State of the workflow that calls what is returned; `first` makes it once for each. `name` tells it from other state. */
export function workflowLocal<State extends object>(name: string, first: () => State): () => State {
  const key = Symbol.for(`belay/${name}`);
  const own = globalThis as unknown as Record<symbol, State | undefined>;
  return () => (own[key] ??= first());
}
