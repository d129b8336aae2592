/** Messages and stacks of failures as payloads, so that a codec encrypts them, too. Loaded by workers where payloads are encrypted. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
