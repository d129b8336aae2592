/** What istioctl says of a mesh, and whether a move has made it worse. Pure; running it is an activity's. */
import type { WaveVerdict } from './wave-health.ts';
import { count } from '../../core/text.ts';

/** One message of `istioctl analyze` or `x precheck`. */
export interface MeshMessage {
  /** IST0101 */
  code: string;
  level: 'Error' | 'Warning';
  /** "VirtualService shop/cart"; empty where it is about the cluster. */
  origin: string;
  message: string;
}

/** `absent`: there is no istioctl, which is no fault; `blind`: it was run and said nothing that can be used. */
export type AnalysisReading = { kind: 'seen'; messages: MeshMessage[] } | { kind: 'blind'; why: string } | { kind: 'absent' };

const LINES = 5;

const keyOf = ({ code, origin, message }: MeshMessage): string => `${code} ${origin} ${message}`;
export const messageLine = ({ code, origin, message }: MeshMessage): string =>
  `${origin === '' ? 'cluster' : origin}: ${message} [${code}]`;

/** Errors that were there before are no reason to stop. undefined: istioctl is not there, or was not before. */
export function judgeAnalysis(before: AnalysisReading | undefined, after: AnalysisReading | undefined): WaveVerdict | undefined {
  if (before === undefined || after === undefined || before.kind === 'absent' || after.kind === 'absent') return undefined;
  const blind = [before, after].find((reading) => reading.kind === 'blind');
  if (blind?.kind === 'blind') return { kind: 'inconclusive', lines: [`istioctl could not compare the mesh: ${blind.why}.`] };
  const known = new Set(before.kind === 'seen' ? before.messages.map(keyOf) : []);
  const fresh = (after.kind === 'seen' ? after.messages : []).filter((each) => each.level === 'Error' && !known.has(keyOf(each)));
  if (fresh.length === 0) return { kind: 'pass', lines: ['istioctl analyze finds no error that was not there before.'] };
  const shown = fresh.slice(0, LINES).map(messageLine);
  return { kind: 'fail', lines: fresh.length <= LINES ? shown : [...shown, `and ${count(fresh.length - LINES, 'more error')}`] };
}
