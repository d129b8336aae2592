/** docs/inside/beliefs.md: what Belay takes for granted about the outside, and how each of it can be tried. */
import type { Belief, Outside, Trial } from '../../domain/tables/beliefs/belief.ts';
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
      'For operators who ask what Belay relies on, and for whoever changes it. A belief is an assumption about EKS, Kubernetes, Karpenter or another outside that a change or guard of Belay depends on. Its authors have not run Belay on every account and version, so each names its [sources](#sources).',
      list([
        "Beliefs are certain (from source code or the service's own model) unless marked *likely* (documents or widely used tools) or *unsure* (documents disagree or are silent).",
        `\`belay conformance\` tries ${count('reads')} of ${BELIEFS.length} by reading, and ${count('changes')}, marked *changes*, on a disposable cluster (\`--disposable\`). *Untried* says why not.`,
        '✗ is what happens if it is false, and the file that relies on it.',
      ]),
    ],
    ...OUTSIDES.flatMap(section),
    '## Sources',
    CITED.map((id, index) => `${index + 1}. [${SOURCES[id].title}](${SOURCES[id].url})`).join('\n'),
    next("The twin's Kubernetes", 'kubernetes-twin.md'),
  );
}

/** A reason that all beliefs of an outside share for being untried is said once, above them. */
function section({ title, beliefs }: Outside): string[] {
  const reasons = new Set(beliefs.map(untried));
  const [shared] = reasons.size === 1 ? reasons : [];
  return [`## ${title}`, ...(shared === undefined ? [] : [`Untried: ${shared}.`]), list(beliefs.map((belief) => entry(belief, shared)))];
}

const untried = ({ trial }: Belief): string | undefined => (typeof trial === 'string' ? undefined : trial.untried);

function entry(belief: Belief, shared: string | undefined): string {
  const { id, says, sure, ifFalse, where, trial, sources } = belief;
  const marks = [...(sure === 'certain' ? [] : [sure]), ...(trial === 'changes' ? [trial] : [])];
  const marked = marks.length === 0 ? '' : `(${marks.join(', ')}) `;
  const reason = untried(belief);
  const why = reason === undefined || reason === shared ? '' : ` Untried: ${reason}.`;
  return `**${code(id)}** ${says}. ${marked}${sources.map(link).join('')} ✗ ${ifFalse} ${code(where)}${why}`;
}

const link = (id: Belief['sources'][number]): string => `[[${CITED.indexOf(id) + 1}]](${SOURCES[id].url})`;
