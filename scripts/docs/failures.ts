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
  retry: { label: 'Retry', id: 'retry', does: 'Runs the step again. Finished work is found, not repeated.' },
  fixed: { label: 'Fixed: continue', id: 'retry', does: 'The same, after you have corrected what is named; otherwise it fails again.' },
  preserve: {
    label: 'Preserve',
    id: 'retry',
    does: 'Updates the add-on again with `resolveConflicts: PRESERVE`, which keeps the changes of others.',
  },
  overwrite: {
    label: 'Overwrite',
    id: 'overwrite',
    does: "Updates the add-on again with `resolveConflicts: OVERWRITE`, which restores EKS's defaults. Needs a reason and the step's approvers.",
  },
  force: {
    label: 'Retry with force',
    id: 'ask-force',
    does: "Opens the gate `force:STEP#ROUND`, which says what force does and needs a reason and the step's approvers. Only what failed is forced, once.",
  },
  skip: { label: 'Skip', id: 'skip', does: 'Continues without the step. Needs a reason; a control plane cannot be skipped.' },
  abort: { label: 'Abort', id: 'abort', does: 'Ends the run and restores what was changed for it.' },
};

/** Of most codes: not repeated for each. */
const USUAL: readonly FailureChoice[] = ['fixed', 'skip', 'abort'];

export function failuresDocument(): string {
  return page(
    '# Failures',
    GENERATED,
    [
      'For whoever decides at a gate `failed:STEP#ROUND`. The gate says what happened, what it means and what to do, and offers these choices, the suggested one first.',
      '## Choices',
      'In brackets: the word for `belay decide`.',
      list(Object.values(CHOICES).map(({ label, id, does }) => `**${label}** (${code(id)}): ${does}`)),
      'Force and Overwrite are offered only where Belay makes the change itself, for the resources that failed this way. A code newer than these lists offers Retry, Skip and Abort.',
      `Each entry below has its meaning and what to do (→). Its choices are *${labels(USUAL)}* unless it names others.`,
    ],
    ...(Object.keys(TITLES) as FailureScope[]).flatMap((scope) => [`## ${TITLES[scope]}`, entries(FAILURE_TABLE[scope])]),
    next('Rehearsal', 'rehearsal.md'),
  );
}

/** Codes that say the same are one entry. */
function entries(codes: Readonly<Record<string, FailureAdvice>>): string {
  const names = new Map<string, string[]>();
  for (const [name, { says, suggestion, choices }] of Object.entries(codes)) {
    const others = labels(choices) === labels(USUAL) ? '' : ` *${labels(choices)}.*`;
    const text = `${sentence(says)} → ${sentence(suggestion)}${others}`;
    names.set(text, [...(names.get(text) ?? []), code(name)]);
  }
  return list([...names].map(([text, same]) => `${same.join(', ')}: ${text}`));
}

const labels = (choices: readonly FailureChoice[]): string => choices.map((choice) => CHOICES[choice].label).join(', ');
