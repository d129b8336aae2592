/** docs/reference/failures.md: what each failure means, what to do about it, and what can be chosen at its gate. */
import { FAILURE_TABLE } from '../../domain/tables/failures.ts';
import { code, GENERATED, list, next, page, sentence } from './markdown.ts';
import type { FailureAdvice, FailureChoice, FailureScope } from '../../domain/tables/failure-advice.ts';

const TITLES: Record<FailureScope, string> = {
  belay: "Belay's own",
  update: 'Errors of an EKS update',
  'node-group': 'Health issues of a node group',
  'add-on': 'Health issues of an add-on',
  cluster: 'Health issues of a cluster',
};

/** What the buttons say, and the word for `belay decide`. */
const CHOICES: Record<FailureChoice, { label: string; id: string; does: string }> = {
  retry: { label: 'Retry', id: 'retry', does: 'Runs the step again; finished work is not repeated.' },
  fixed: { label: 'Fixed: continue', id: 'retry', does: 'The same, once you have corrected what is named; otherwise it fails again.' },
  preserve: {
    label: 'Preserve',
    id: 'retry',
    does: 'Updates the add-on with `resolveConflicts: PRESERVE`, which keeps others’ changes.',
  },
  overwrite: {
    label: 'Overwrite',
    id: 'overwrite',
    does: "The same with `OVERWRITE`, which restores EKS's defaults. Needs a reason and the step's approvers.",
  },
  force: {
    label: 'Retry with force',
    id: 'ask-force',
    does: "Opens the gate `force:STEP#ROUND`, which says what force does and needs a reason and the step's approvers. Only what failed is forced, once.",
  },
  skip: { label: 'Skip', id: 'skip', does: 'Continues without the step. Needs a reason; a control plane cannot be skipped.' },
  abort: { label: 'Abort', id: 'abort', does: 'Ends the run and undoes its temporary changes; versions already changed stay.' },
};

const labels = (choices: readonly FailureChoice[]): string => choices.map((choice) => CHOICES[choice].label).join(', ');

/** Of most codes: not repeated for each. */
const USUAL: readonly FailureChoice[] = ['fixed', 'skip', 'abort'];

export function failuresDocument(): string {
  return page(
    '# Failures',
    GENERATED,
    [
      'For whoever decides at a gate `failed:STEP#ROUND`. The gate says what happened, what it means and what to do, and offers these choices, the suggested one first; in brackets the word for `belay decide`.',
      '## Choices',
      list(Object.values(CHOICES).map(({ label, id, does }) => `**${label}** (${code(id)}): ${does}`)),
      'Force and Overwrite are offered only where Belay makes the change itself, for the resources that failed this way. A code newer than these lists offers Retry, Skip and Abort.',
      `Each entry has *its meaning* and what to do. Choices are ${labels(USUAL)}, unless named: **Retry** replaces ${CHOICES.fixed.label}, **no Skip** omits Skip.`,
    ],
    `## ${TITLES.belay}`,
    list(ENTRIES.filter(({ scopes }) => scopes.includes('belay')).map(entry)),
    '## EKS codes with one meaning in several places',
    list(ENTRIES.filter(({ scopes }) => scopes.length > 1).map((shared) => `${entry(shared)} (${shared.scopes.join(', ')})`)),
    ...SCOPES.filter((scope) => scope !== 'belay').flatMap((scope) => [
      `## ${TITLES[scope]}`,
      list(ENTRIES.filter(({ scopes }) => scopes.join() === scope).map(entry)),
    ]),
    next('Rehearsal', 'rehearsal.md'),
  );
}

const SCOPES = Object.keys(TITLES) as FailureScope[];

interface Entry {
  advice: FailureAdvice;
  codes: string[];
  scopes: FailureScope[];
}

/** Codes that say the same are one entry, those of EKS also across what they are about. */
const ENTRIES: readonly Entry[] = SCOPES.flatMap((scope) =>
  Object.entries(FAILURE_TABLE[scope]).map(([name, advice]): Entry => ({ advice, codes: [name], scopes: [scope] })),
).reduce<Entry[]>((entries, one) => {
  const same = entries.find((other) => !other.scopes.includes('belay') && told(other.advice) === told(one.advice));
  if (same === undefined) return [...entries, one];
  same.codes = [...new Set([...same.codes, ...one.codes])];
  same.scopes = [...new Set([...same.scopes, ...one.scopes])];
  return entries;
}, []);

function entry({ advice, codes }: Entry): string {
  return `${codes.map(code).join(', ')}: ${told(advice)}`;
}

function told({ says, suggestion, choices }: FailureAdvice): string {
  return `*${sentence(says)}* ${sentence(suggestion)}${choicesText(choices)}`;
}

/** What differs from the usual choices. */
function choicesText(choices: readonly FailureChoice[]): string {
  if (labels(choices) === labels(USUAL)) return '';
  if (choices.join() === 'retry,skip,abort') return ' **Retry**';
  return choices.join() === 'fixed,abort' ? ' **no Skip**' : ` **${labels(choices)}**`;
}
