/** Of every call: it ends when the activity does. */
export interface CallOptions {
  abortSignal: AbortSignal;
}
