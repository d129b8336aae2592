/** Answers of AWS by command and input. */
import type { Snapshot, SnapshotCall, SnapshotService } from '../../../../domain/facts/snapshot/format.ts';
import { field } from '../../../../domain/core/unknown.ts';
import { stableJson } from '../../../../domain/core/stable-json.ts';
import { failureOf } from '../../../runtime/translate-errors.ts';
import { noChanges, notHeld, recordedError } from './failures.ts';
import { withDates } from './dates.ts';

/** `operation`: "DescribeNodegroup". Throws what AWS answered, and for a call that was not made when the snapshot was taken. */
export type Answer = (service: SnapshotService, operation: string, input: unknown) => Record<string, unknown>;

const READS = /^(?:Describe|Get|List|Simulate)/;

export function answersOf({ calls }: Pick<Snapshot, 'calls'>): Answer {
  const byKey = new Map(calls.map((call) => [keyOf(call.service, call.operation, call.input), call]));
  return (service, operation, input) => {
    const doing = `${service}:${operation}`;
    if (!READS.test(operation)) throw noChanges(doing);
    const call = byKey.get(keyOf(service, operation, input));
    if (call === undefined) throw notHeld(`the answer of ${doing} to ${inputWords(input)}`);
    if (call.error !== undefined) throw recordedError(doing, call.error.name);
    refuseEndlessWait(call);
    return { $metadata: {}, ...withDates(service, call.output ?? {}) };
  };
}

/** Fields that are undefined are not sent; names and ids may come in any order. */
const keyOf = (service: SnapshotService, operation: string, input: unknown): string =>
  `${service} ${operation} ${stableJson(ordered(input ?? {}))}`;

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string') ? value.toSorted() : value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ordered(inner)]));
}

function inputWords(input: unknown): string {
  const text = stableJson(input ?? {});
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** What a snapshot caught half-way stays so: nobody may wait for its end. */
function refuseEndlessWait({ operation, output }: SnapshotCall): void {
  if (operation === 'DescribeInsightsRefresh' && field(output, 'status') === 'IN_PROGRESS')
    throw failureOf('InvalidRequest', 'the refresh of the insights had not ended when the snapshot was taken');
}
