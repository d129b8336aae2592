/** Stands for one request of Slack that a process has taken: Temporal refuses a second workflow of its id, so no other process takes it as well. */

/** Does nothing: what counts is that it was started. */
export function claimRequest(): Promise<void> {
  return Promise.resolve();
}
