/** docs/beliefs.md: what Belay takes for granted about the outside, and how each of it can be tried. */
import type { Belief, Trial } from '../../domain/tables/beliefs/belief.ts';
import { BELIEFS, OUTSIDES } from '../../domain/tables/beliefs/index.ts';
import { SOURCES } from '../../domain/tables/beliefs/sources.ts';
import { code, GENERATED, page, table } from './markdown.ts';

export function beliefsDocument(): string {
  const count = (trial: Trial): number => BELIEFS.filter((belief) => belief.trial === trial).length;
  return page(
    '# Beliefs',
    GENERATED,
    [
      'For operators who want to know what Belay rests on, and for whoever changes it. A belief is something about EKS, Kubernetes, Karpenter or another outside that a change or a guard of Belay takes for granted. Belay has not been run by its authors on every account and version, so each belief says where it comes from, how sure it is, and what happens where it is false.',
      `Of ${BELIEFS.length} beliefs, ${count('reads')} can be tried by reading and ${count('changes')} by changing a cluster made for throwing away; the rest says why it is not tried. How sure: *certain* was read in source code or in the service's own model, *likely* in documents or in the practice of widely used tools, *unsure* where documents disagree or say nothing.`,
    ],
    ...OUTSIDES.flatMap(({ title, beliefs }) => [
      `## ${title}`,
      table(['Id', 'Belief', 'How sure', 'If it is false', 'Tried', 'Sources'], beliefs.map(row)),
    ]),
  );
}

function row({ id, says, sure, ifFalse, where, trial, sources }: Belief): string[] {
  return [code(id), `${says}.`, sure, `${ifFalse} (${code(where)})`, tried(trial), sources.map(link).join(', ')];
}

function tried(trial: Trial): string {
  if (trial === 'reads') return 'by reading';
  return trial === 'changes' ? 'on a disposable cluster' : `no: ${trial.untried}`;
}

function link(id: Belief['sources'][number]): string {
  const { title, url } = SOURCES[id];
  return `[${title}](${url})`;
}
