/** Calls of AWS that end with the activity that makes them. */
import { currentSignal } from '../../../runtime/context.ts';

/** Calls end when the activity does. */
export const signalled = () => ({ abortSignal: currentSignal() });
