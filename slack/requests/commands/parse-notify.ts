/** `/eks-upgrade notify me on|off`. */
import { notifyHow, unexpectedArgument } from '../../messages/commands.ts';

/** Direct messages to the one who types it. */
export interface NotifyCommandText {
  kind: 'notify';
  on: boolean;
}

/** A sentence that says what is wrong, where it is none. */
export function parseNotify([who, word, extra]: string[]): NotifyCommandText | string {
  if (extra !== undefined) return unexpectedArgument(extra);
  const to = word?.toLowerCase();
  if (who?.toLowerCase() !== 'me' || (to !== 'on' && to !== 'off')) return notifyHow();
  return { kind: 'notify', on: to === 'on' };
}
