/**
 * Temporal's SDK notes a stack trace for each promise of a workflow, mapped to its source, for the query `__stack_trace`: four tenths of the time of
 * a replay, and an eighth of that of workflow tests. Without Node's promise hooks it goes without (`setPromiseHook` in its workflow/vm-shared.js);
 * nothing that a test looks at is in those traces. Workers that run as processes of their own have them.
 */
require('node:v8').promiseHooks.createHook = () => () => undefined;
