/** docs/inside/beliefs.md: what Belay takes for granted about the outside, and how each of it can be tried. */
import type { Belief, Trial } from '../../domain/tables/beliefs/belief.ts';
import { BELIEFS, OUTSIDES } from '../../domain/tables/beliefs/index.ts';
import { SOURCES } from '../../domain/tables/beliefs/sources.ts';
import { code, GENERATED, list, next, page } from './markdown.ts';

/** In the order in which beliefs name them; the first is number 1. */
const CITED = [...new Set(BELIEFS.flatMap(({ sources }) => sources))];

export function beliefsDocument(): string {
  const count = (trial: Trial): number => BELIEFS.filter((belief) => belief.trial === trial).length;
  return page(
    '# Beliefs',
    GENERATED,
    [
      'For operators who want to know what Belay relies on, and for whoever changes it. A belief is an assumption about EKS, Kubernetes, Karpenter or another outside that a change or a guard of Belay depends on. Its authors have not run Belay on every account and version, so each belief names its [sources](#sources).',
      list([
        "In brackets, how sure: *certain* comes from source code or the service's own model, *likely* from documents or widely used tools, *unsure* where documents disagree or are silent.",
        `Then how \`belay conformance\` tries it: ${count('reads')} of ${BELIEFS.length} by *reads*, ${count('changes')} by *changes* on a disposable cluster (\`--disposable\`). *Untried* says why not.`,
        '✗ is what happens if it is false, with the file that relies on it.',
      ]),
    ],
    ...OUTSIDES.flatMap(({ title, beliefs }) => [`## ${title}`, list(beliefs.map(entry))]),
    '## Sources',
    CITED.map((id, index) => `${index + 1}. [${SOURCES[id].title}](${SOURCES[id].url})`).join('\n'),
    next("The twin's Kubernetes", 'kubernetes-twin.md'),
  );
}

function entry({ id, says, sure, ifFalse, where, trial, sources }: Belief): string {
  const tried = typeof trial === 'string' ? `, ${trial}` : '';
  const why = typeof trial === 'string' ? '' : ` Untried: ${trial.untried}.`;
  return `**${code(id)}** ${says}. (${sure}${tried}) ${sources.map(link).join('')} ✗ ${ifFalse} ${code(where)}${why}`;
}

const link = (id: Belief['sources'][number]): string => `[[${CITED.indexOf(id) + 1}]](${SOURCES[id].url})`;
