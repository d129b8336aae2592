/** The result of `belay conformance` for a terminal: what did not hold first. */
import pc from 'picocolors';
import { countTried, type Tried, type Untried } from '../../domain/tables/beliefs/verdict.ts';
import { count } from '../../domain/core/text.ts';
import { beliefsTried } from '../messages/views.ts';

const REASONS: Record<Untried, string> = {
  right: 'a right is missing',
  unanswered: 'no conclusive answer',
  absent: 'there is nothing of that kind',
  changes: 'it changes something',
  never: 'no check tests it',
};

export function renderConformance({ cluster, tried }: { cluster: string; tried: readonly Tried[] }): string {
  const { held, broken, untried } = countTried(tried);
  return [
    beliefsTried(cluster, { held, broken, untried }),
    ...section('Did not hold', tried, 'broken', pc.red('✗')),
    ...section('Held', tried, 'held', pc.green('✓')),
    ...untriedLines(tried),
    ...changed(tried),
  ].join('\n');
}

function section(title: string, tried: readonly Tried[], kind: 'held' | 'broken', mark: string): string[] {
  const lines = tried.flatMap(({ id, says, verdict }) => {
    if (verdict.kind !== kind) return [];
    return kind === 'broken' ? [`${mark} ${id}: ${says}`, `    seen: ${verdict.saw}`] : [`${mark} ${id}: ${verdict.saw}`];
  });
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines];
}

function untriedLines(tried: readonly Tried[]): string[] {
  const all = (Object.keys(REASONS) as Untried[]).flatMap((because) => {
    const of = tried.flatMap(({ id, verdict }) =>
      verdict.kind === 'untried' && verdict.because === because ? [{ id, why: verdict.why }] : [],
    );
    if (of.length === 0) return [];
    // One reason for all of them.
    if (because === 'changes') return [`- ${count(of.length, 'belief')}: ${of[0]?.why} (${of.map(({ id }) => id).join(', ')})`];
    return [`- ${REASONS[because]}:`, ...of.map(({ id, why }) => `    ${id}: ${why}`)];
  });
  return all.length === 0 ? [] : ['', 'Could not be tried:', ...all];
}

function changed(tried: readonly Tried[]): string[] {
  const restored = tried.flatMap(({ id, restored }) => restored.map((what) => `- ${id}: ${what}`));
  const left = tried.flatMap(({ id, left }) => left.map(({ what, why }) => `${pc.red('✗')} ${id}: ${what} (${why})`));
  return [
    ...(restored.length === 0 ? [] : ['', 'Changed and restored:', ...restored]),
    ...(left.length === 0 ? [] : ['', 'Changed and NOT restored; do it by hand:', ...left]),
  ];
}
