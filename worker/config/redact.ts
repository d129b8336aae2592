/** For what this process prints for others: the rules by which histories and logs are kept clean. */
export { redact, redactedJson } from '../../activities/runtime/redact.ts';
