/** Until when EKS supports a minor, in words. */
import { type Support, supportAt, type Target } from '../../domain/run/fleet.ts';
import { count } from '../../domain/core/text.ts';
import { extendedSupport, outOfSupport, standardSupport, supportUnknown } from '../messages/cluster.ts';

const ICONS: Record<Support, string> = { standard: '🟢', extended: '🟠', ended: '🔴', unknown: '⚪' };
/** Less than this is worth a colour of its own. */
const SOON_DAYS = 60;

/** "standard support until 2026-03-23"; of what has ended, that it has. `at`: ISO 8601. */
export function supportWords(target: Target, at: string): string {
  switch (supportAt(target, at).support) {
    case 'standard':
      return standardSupport(String(target.endOfStandardSupport));
    case 'extended':
      return extendedSupport(String(target.endOfExtendedSupport));
    case 'ended':
      return outOfSupport(String(target.endOfExtendedSupport));
    case 'unknown':
      return supportUnknown();
  }
}

/** The same with a light, and the days that are left where they are few. */
export function supportLine(target: Target, at: string): string {
  const { support, daysLeft } = supportAt(target, at);
  const soon = daysLeft !== undefined && daysLeft <= SOON_DAYS;
  const icon = soon && support === 'standard' ? '🟡' : ICONS[support];
  return `${icon} ${supportWords(target, at)}${soon ? `, ${count(daysLeft, 'day')} left` : ''}`;
}
