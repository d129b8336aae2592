/** Judges the traffic of a wave's namespaces against what it was before their move. Pure; reading Prometheus is an activity's. */
import { count } from '../../core/text.ts';

/** One namespace at one moment, as seen by those who call it. */
export interface Traffic {
  requestsPerSecond: number;
  /** Share of answers 5xx, 0 to 1. */
  errorShare: number;
  /** undefined: there is no histogram of its latency. */
  p99Ms?: number;
}

/** What a look at Prometheus has found. A namespace without an entry has no traffic that Prometheus knows of. */
export type TrafficReading = { kind: 'seen'; namespaces: Record<string, Traffic> } | { kind: 'blind'; why: string };

export interface WaveVerdict {
  kind: 'pass' | 'fail' | 'inconclusive';
  /** For people, the worst first. */
  lines: string[];
}

/*
 * Thresholds are engineering judgement: three bad looks of five, so that the blip of a restart is none; an absolute floor for each, so that
 * a quiet or fast namespace is not judged by noise.
 */
const LOOKS = 5;
const BAD_LOOKS = 3;
const ERROR_SHARE = 0.01;
const ERROR_FACTOR = 2;
const LATENCY_FACTOR = 1.5;
const LATENCY_FLOOR_MS = 50;
/** Thirty requests in a window of two minutes: below that one error is more than three per cent. */
const SPEAKING_RPS = 0.25;
/** Fewer looks than that say nothing. */
export const LOOKS_NEEDED = 3;
const LINES = 6;

/** Did the same namespaces get worse for most of the last few looks? Decides while the wave is still watched. */
export function isFailing(before: TrafficReading, looks: readonly TrafficReading[], namespaces: readonly string[]): boolean {
  return before.kind === 'seen' && namespaces.some((namespace) => verdictOf(namespace, before, looks).kind === 'fail');
}

/** The verdict at the end of the watch. What cannot be seen of one namespace makes the whole inconclusive, unless another one fails. */
export function judgeWave(before: TrafficReading, looks: readonly TrafficReading[], namespaces: readonly string[]): WaveVerdict {
  if (namespaces.length === 0) return { kind: 'inconclusive', lines: ['The wave has no namespaces.'] };
  const blind = [before, ...looks].find((reading) => reading.kind === 'blind');
  const seen = looks.filter((reading) => reading.kind === 'seen');
  if (before.kind === 'blind' || seen.length < LOOKS_NEEDED) {
    const why = blind?.kind === 'blind' ? blind.why : `only ${count(seen.length, 'reading')} of it`;
    // Nothing to compare with, and still worth knowing.
    const bad = namespaces.map((namespace) => verdictOf(namespace, before, looks)).filter(({ kind }) => kind === 'fail');
    return { kind: 'inconclusive', lines: shortened([`The traffic could not be judged: ${why}.`, ...bad.map(({ line }) => line)]) };
  }
  const verdicts = namespaces.map((namespace) => verdictOf(namespace, before, looks));
  const worst = (['fail', 'inconclusive', 'pass'] as const).flatMap((kind) => verdicts.filter((verdict) => verdict.kind === kind));
  return { kind: worst[0]?.kind ?? 'inconclusive', lines: shortened(worst.map(({ line }) => line)) };
}

interface NamespaceVerdict {
  kind: WaveVerdict['kind'];
  line: string;
}

function verdictOf(namespace: string, before: TrafficReading, looks: readonly TrafficReading[]): NamespaceVerdict {
  const was = trafficIn(before, namespace);
  const all = looks.flatMap((reading) => trafficIn(reading, namespace) ?? []);
  const bad = all.slice(-LOOKS).filter((now) => problemsOf(was, now).length > 0);
  const worst = bad.at(-1);
  if (worst !== undefined && bad.length >= BAD_LOOKS) {
    return {
      kind: 'fail',
      line: `${namespace}: ${problemsOf(was, worst).join('; ')} (${bad.length} of the last ${count(Math.min(LOOKS, all.length), 'reading')})`,
    };
  }
  const last = all.at(-1);
  if (last === undefined || all.length < LOOKS_NEEDED) {
    return {
      kind: 'inconclusive',
      line: `${namespace}: ${was === undefined ? 'no traffic' : `${rate(was)} before, too little traffic since`}`,
    };
  }
  return { kind: 'pass', line: `${namespace}: ${changeOf(was, last)}` };
}

/** undefined: too little to say anything. */
function trafficIn(reading: TrafficReading, namespace: string): Traffic | undefined {
  const traffic = reading.kind === 'seen' ? reading.namespaces[namespace] : undefined;
  return traffic !== undefined && traffic.requestsPerSecond >= SPEAKING_RPS ? traffic : undefined;
}

function problemsOf(was: Traffic | undefined, now: Traffic): string[] {
  const problems: string[] = [];
  if (now.errorShare >= Math.max(ERROR_SHARE, ERROR_FACTOR * (was?.errorShare ?? 0))) problems.push(errorsOf(was, now));
  if (was?.p99Ms !== undefined && now.p99Ms !== undefined) {
    const isSlow = now.p99Ms > LATENCY_FACTOR * was.p99Ms && now.p99Ms > was.p99Ms + LATENCY_FLOOR_MS;
    if (isSlow) problems.push(latencyOf(was.p99Ms, now.p99Ms));
  }
  return problems;
}

function changeOf(was: Traffic | undefined, now: Traffic): string {
  const latency =
    now.p99Ms === undefined
      ? 'latency unknown'
      : was?.p99Ms === undefined
        ? `p99 ${milliseconds(now.p99Ms)}`
        : latencyOf(was.p99Ms, now.p99Ms);
  return `${errorsOf(was, now)}, ${latency}, ${rate(now)}`;
}

const errorsOf = (was: Traffic | undefined, now: Traffic): string =>
  was === undefined ? `5xx ${percent(now.errorShare)} (before: not known)` : `5xx ${percent(was.errorShare)} → ${percent(now.errorShare)}`;
const latencyOf = (wasMs: number, nowMs: number): string => `p99 ${milliseconds(wasMs)} → ${milliseconds(nowMs)}`;
const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;
const milliseconds = (ms: number): string => (ms >= 1000 ? `${Number((ms / 1000).toPrecision(2))} s` : `${Math.round(ms)} ms`);
const rate = ({ requestsPerSecond }: Traffic): string => `${Number(requestsPerSecond.toPrecision(2))} requests/s`;

/** Gates show a handful. */
function shortened(lines: readonly string[]): string[] {
  return lines.length <= LINES ? [...lines] : [...lines.slice(0, LINES - 1), `and ${count(lines.length - LINES + 1, 'more namespace')}`];
}
