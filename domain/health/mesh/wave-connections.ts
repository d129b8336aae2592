/** Does istiod count the proxies of a wave? Pods may run the right image and hold no connection. Pure. */
import { formatMinor, tryComponentVersion } from '../../core/component-version.ts';
import type { WaveVerdict } from './wave-health.ts';
import { agree, count } from '../../core/text.ts';

/** Connected proxies by proxy version. */
export type ConnectedReading = { kind: 'seen'; versions: Record<string, number> } | { kind: 'blind'; why: string };

export interface Moved {
  /** Of the wave, verified by annotation and image. */
  podCount: number;
  /** Of their proxies, "1.30". */
  minor: string;
}

/** Fewer than the wave's pods is a question, no failure: other pods of that version may have ended meanwhile, or moved before. */
export function judgeConnections(before: ConnectedReading, after: ConnectedReading, { podCount, minor }: Moved): WaveVerdict {
  if (before.kind === 'blind') return notKnown(before.why);
  if (after.kind === 'blind') return notKnown(after.why);
  const now = countOf(after.versions, minor);
  const more = now - countOf(before.versions, minor);
  const counted = `istiod counts ${now} connected ${agree(now, 'proxy', 'proxies')} of ${minor}, ${Math.abs(more)} ${more < 0 ? 'fewer' : 'more'} than before the move`;
  if (podCount === 0) return { kind: 'inconclusive', lines: [`${counted}; the wave has none`] };
  return more >= podCount
    ? { kind: 'pass', lines: [counted] }
    : { kind: 'inconclusive', lines: [`${counted}, for ${count(podCount, 'pod')}`] };
}

const notKnown = (why: string): WaveVerdict => ({ kind: 'inconclusive', lines: [`How many proxies are connected is not known: ${why}.`] });

function countOf(versions: Record<string, number>, minor: string): number {
  return Object.entries(versions)
    .filter(([text]) => {
      const version = tryComponentVersion(text);
      return version !== undefined && formatMinor(version) === minor;
    })
    .reduce((sum, [, value]) => sum + value, 0);
}
