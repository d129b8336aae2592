/**
 * What a mail server has said of each recipient of an event, kept in the activity's heartbeat: the next attempt asks for those alone whom it put off. An
 * activity reports one such event at most, since it ends there (activities/run/people/deliver.ts).
 */
import { beat, lastHeartbeat } from '../../activities/runtime/context.ts';
import { field } from '../../domain/core/unknown.ts';

/** By address: why it is refused for good; empty where it has the mail. Who is not in it has to be asked for still. */
export type Settled = Readonly<Record<string, string>>;

/** By the attempts before; nobody outside of an activity. */
export function settledOf(key: string): Settled {
  return Object.fromEntries([...entriesOf(entriesOf(field(lastHeartbeat(), 'settled')).get(key))].filter(isSaid));
}

/** Beside what was kept for other events. */
export function keepSettled(key: string, settled: Settled): void {
  const others = Object.fromEntries(entriesOf(field(lastHeartbeat(), 'settled')));
  beat({ kind: 'mailing', settled: { ...others, [key]: settled } });
}

const entriesOf = (value: unknown): Map<string, unknown> =>
  new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);

const isSaid = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
