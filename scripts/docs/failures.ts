/** docs/failures.md: what each failure means, what to do about it, and what can be chosen at its gate. */
import { FAILURE_TABLE } from '../../domain/tables/failures.ts';
import { code, GENERATED, page, table } from './markdown.ts';
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
  retry: { label: 'Retry', id: 'retry', does: 'Runs the step again. What is done already is found and not done twice.' },
  fixed: {
    label: 'Fixed: go on',
    id: 'retry',
    does: 'The same, after people have mended what is named: without that it would fail again.',
  },
  preserve: {
    label: 'Preserve',
    id: 'retry',
    does: 'Updates the add-on again with `resolveConflicts: PRESERVE`: what others changed stays.',
  },
  overwrite: {
    label: 'Overwrite',
    id: 'overwrite',
    does: "Updates the add-on again with `resolveConflicts: OVERWRITE`: EKS's defaults win. Needs a reason and the approvers that the step needs.",
  },
  force: {
    label: 'Retry with force',
    id: 'ask-force',
    does: 'Opens a gate of its own, `force:STEP#ROUND`, that says what force does; it needs a reason and the approvers that the step needs. Only what failed is forced, and only this once.',
  },
  skip: { label: 'Skip', id: 'skip', does: 'Goes on without the step; needs a reason. A control plane cannot be skipped.' },
  abort: { label: 'Abort', id: 'abort', does: 'Ends the run. What was changed for its sake is restored.' },
};

export function failuresDocument(): string {
  return page(
    '# Failures',
    GENERATED,
    [
      'A step that fails ends at a gate, `failed:STEP#ROUND`. The gate says what happened, what it means, what to do, and offers the choices of this table, the suggested one first.',
      'Force and overwriting are offered only where Belay makes the change itself, for the resources that failed so. A code that is newer than the table is offered Retry, Skip and Abort.',
      '## Choices',
    ],
    table(
      ['Button', 'In `belay decide`', 'What it does'],
      Object.values(CHOICES).map(({ label, id, does }) => [label, code(id), does]),
    ),
    ...(Object.keys(TITLES) as FailureScope[]).flatMap((scope) => [`## ${TITLES[scope]}`, rows(FAILURE_TABLE[scope])]),
  );
}

function rows(codes: Readonly<Record<string, FailureAdvice>>): string {
  return table(
    ['Code', 'What it means', 'What to do', 'Choices'],
    Object.entries(codes).map(([name, { says, suggestion, choices }]) => [
      code(name),
      says,
      suggestion,
      choices.map((choice) => CHOICES[choice].label).join(', '),
    ]),
  );
}
