/** Reads `AREA:WHAT[=VALUE][@MOMENT]`. */
import { FAULT_ALIASES, faultNamed, FAULTS } from './catalogue/catalogue.ts';
import type { Fault, FaultOrder } from './fault.ts';
import { wrongMoment } from './moments.ts';
import { nearestFirst } from './nearest.ts';

const SHAPE = /^([^=@]+)(?:=([^@]*))?(?:@(.+))?$/;
const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Throws a RangeError that says what would be right; an unknown name is answered with all of them, the nearest first. */
export function parseFault(text: string): FaultOrder {
  const written = SHAPE.exec(text);
  const alias = FAULT_ALIASES[written?.[1] ?? text];
  if (alias !== undefined && written !== null) return parseAlias(text, alias, written[2], written[3]);
  const fault = faultNamed(written?.[1] ?? text);
  if (written === null || fault === undefined) throw unknownFault(text, written?.[1] ?? text);
  const at = written[3] ?? fault.at;
  const problem = at === undefined ? undefined : wrongMoment(at);
  if (problem !== undefined) throw new RangeError(`"${text}": ${problem}.`);
  return { text, name: fault.name, ...(at === undefined ? {} : { at }), ...valueOf(fault, text, written[2]) };
}

export function parseFaults(texts: readonly string[]): FaultOrder[] {
  return texts.map(parseFault);
}

/** A value or moment that was written goes before the alias's own. */
function parseAlias(text: string, alias: string, value: string | undefined, at: string | undefined): FaultOrder {
  const [, name = '', ownValue, ownAt] = SHAPE.exec(alias) ?? [];
  const parts = [name, value ?? ownValue, at ?? ownAt] as const;
  return {
    ...parseFault(`${parts[0]}${parts[1] === undefined ? '' : `=${parts[1]}`}${parts[2] === undefined ? '' : `@${parts[2]}`}`),
    text,
  };
}

function unknownFault(text: string, name: string): RangeError {
  const names = nearestFirst(name, [...Object.keys(FAULT_ALIASES), ...FAULTS.map((fault) => fault.name)]);
  const shape = SHAPE.test(text) ? '' : ' (write AREA:WHAT, then =VALUE and @MOMENT where wanted)';
  return new RangeError([`There is no fault "${name}"${shape}. There are:`, ...names.map((known) => `  ${known}`)].join('\n'));
}

function valueOf(fault: Fault, text: string, written: string | undefined): Pick<FaultOrder, 'times' | 'lastsMs' | 'delayMs' | 'word'> {
  const { value } = fault;
  if (value === undefined) {
    if (written !== undefined) throw new RangeError(`"${text}": ${fault.name} takes no value.`);
    return { times: 1 };
  }
  const given = written ?? value.default;
  if (value.kind === 'word') {
    if (value.words?.includes(given) === true) return { times: 1, word: given };
    throw new RangeError(`"${text}": "${given}" is not one of ${nearestFirst(given, value.words ?? []).join(', ')}.`);
  }
  if (value.kind === 'times' && /^[1-9]\d*$/.test(given)) return { times: Number(given) };
  const ms = durationMs(given);
  if (ms === undefined) {
    const wanted = value.kind === 'times' ? 'a number such as 3, or a duration such as 5m' : 'a duration such as 30s, 10m or 1h';
    throw new RangeError(`"${text}": "${given}" is not what ${fault.name} takes; write ${wanted}.`);
  }
  if (value.kind === 'delay') return { times: Number.POSITIVE_INFINITY, delayMs: ms };
  return { times: Number.POSITIVE_INFINITY, lastsMs: ms };
}

/** Milliseconds of "30s", "10m"; undefined for anything else. */
function durationMs(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const factor = UNITS_MS[unit];
  return number === undefined || factor === undefined || Number(number) === 0 ? undefined : Number(number) * factor;
}
