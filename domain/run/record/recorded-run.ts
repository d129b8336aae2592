/** A run's record that was written for the first time, as tracing tells it. Who writes and who tells share nothing but this. */

/** Name of the `diagnostics_channel` on which its `UpgradeReport` is published: once for each run, whoever listens in whichever process. */
export const RUN_RECORDED = 'belay:run-recorded';
