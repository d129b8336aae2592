/** What the end of support does to a cluster: AWS upgrades it, or it starts to cost. Two alarms, since only one of them is a bill. */
import { count } from '../../core/text.ts';
import { supportAt, type SupportType, type Target } from '../fleet.ts';
import { EXTRA_USD_PER_DAY, usd } from './money.ts';

/** Dates are ISO dates. */
export type Alarm =
  /** Policy STANDARD: AWS upgrades the control plane from then on. */
  | { kind: 'aws-upgrades'; from: string; daysLeft: number }
  /** Support has ended, and AWS upgrades the control plane at any time. `of`: the support. */
  | { kind: 'aws-upgrades-any-time'; of: 'standard' | 'extended'; since?: string }
  /** Policy EXTENDED: extended support begins, and costs. */
  | { kind: 'extended-starts'; from: string; daysLeft: number }
  /** It costs now; from `awsUpgrades` on AWS upgrades it. */
  | { kind: 'extended-costs'; since: string; awsUpgrades?: string; daysLeft?: number; policyUnread?: true }
  /** The policy was not read: one of the two. */
  | { kind: 'upgrade-or-cost'; from: string; daysLeft: number };

/** undefined: in standard support for longer than that, or not known. */
export function alarmOf(target: Target, at: string, withinDays: number, supportType: SupportType | undefined): Alarm | undefined {
  const { support, daysLeft = 0 } = supportAt(target, at);
  const { endOfStandardSupport: standard = '', endOfExtendedSupport: extended } = target;
  switch (support) {
    case 'unknown':
      return undefined;
    case 'ended':
      return { kind: 'aws-upgrades-any-time', of: 'extended', ...(extended === undefined ? {} : { since: extended }) };
    case 'extended': {
      if (supportType === 'STANDARD') return { kind: 'aws-upgrades-any-time', of: 'standard', since: standard };
      const unread = supportType === undefined ? { policyUnread: true as const } : {};
      return { kind: 'extended-costs', since: standard, ...(extended === undefined ? {} : { awsUpgrades: extended, daysLeft }), ...unread };
    }
    case 'standard': {
      if (daysLeft > withinDays) return undefined;
      const about = { from: standard, daysLeft };
      if (supportType === undefined) return { kind: 'upgrade-or-cost', ...about };
      return { kind: supportType === 'STANDARD' ? 'aws-upgrades' : 'extended-starts', ...about };
    }
  }
}

/** One sentence without a full stop. `minor`: "1.34". */
export function alarmText(alarm: Alarm, minor: string): string {
  const more = `${usd(EXTRA_USD_PER_DAY)} a day more`;
  switch (alarm.kind) {
    case 'aws-upgrades':
      return `AWS will upgrade it for you from ${alarm.from} on (${count(alarm.daysLeft, 'day')}), when standard support of ${minor} ends`;
    case 'aws-upgrades-any-time':
      return `AWS will upgrade it for you at any time: ${alarm.of} support of ${minor} ended${alarm.since === undefined ? '' : ` on ${alarm.since}`}`;
    case 'extended-starts':
      return `costs ${more} from ${alarm.from} on (${count(alarm.daysLeft, 'day')}), when standard support of ${minor} ends`;
    case 'extended-costs': {
      const unless = alarm.policyUnread === true ? ' unless its upgrade policy, which was not read, is STANDARD' : '';
      const forced =
        alarm.awsUpgrades === undefined || alarm.daysLeft === undefined
          ? ''
          : `; AWS will upgrade it for you from ${alarm.awsUpgrades} on (${count(alarm.daysLeft, 'day')})`;
      return `costs ${more}${unless}: ${minor} has been in extended support since ${alarm.since}${forced}`;
    }
    case 'upgrade-or-cost':
      return `from ${alarm.from} on (${count(alarm.daysLeft, 'day')}) AWS will upgrade it for you or it costs ${more}: its upgrade policy was not read`;
  }
}
