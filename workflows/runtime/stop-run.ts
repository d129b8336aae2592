/** Ends a run's story before its last line. */
export class StopRun extends Error {
  readonly outcome: 'stopped' | 'refused';
  constructor(outcome: 'stopped' | 'refused', message: string) {
    super(message);
    this.outcome = outcome;
  }
}
