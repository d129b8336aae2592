/** Which executions are open. One that is paused in Temporal (server 1.30 and newer) is, and continues once it is unpaused. */

/** For visibility. Servers before 1.30 reject the status Paused, and `CloseTime IS NULL` finds nothing on SQL (temporalio/temporal#6576). */
export const IS_OPEN = "ExecutionStatus NOT IN ('Completed', 'Failed', 'Canceled', 'Terminated', 'ContinuedAsNew', 'TimedOut')";

/** `status`: by its name in the SDK. */
export const isOpenStatus = (status: string): boolean => status === 'RUNNING' || status === 'PAUSED';
