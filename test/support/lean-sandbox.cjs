/**
 * What the sandbox of Temporal's SDK does for operators, and tests do not look at. Required before anything else, by threads of workers too.
 */
const { promiseHooks } = require('node:v8');
const { Script } = require('node:vm');

/**
 * A stack trace for each promise of a workflow, mapped to its source, for the query `__stack_trace`: four tenths of the time of a replay. Without Node's
 * promise hooks the SDK goes without (`setPromiseHook` in its workflow/vm-shared.js).
 */
promiseHooks.createHook = () => () => undefined;

/** For each call with a time limit Node starts a thread, and waits for its end: of a busy machine, a workflow's turns wait half their time. Tests have limits of their own. */
// oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
const runInContext = Script.prototype.runInContext;
Script.prototype.runInContext = function (context, options) {
  return runInContext.call(this, context, options === undefined ? options : { ...options, timeout: undefined });
};
