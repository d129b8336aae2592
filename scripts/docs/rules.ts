/** docs/rules.md: the rules that every plan keeps. */
import { RULES } from '../../domain/plan/rules/rules.ts';
import { code, GENERATED, page, table } from './markdown.ts';

export function rulesDocument(): string {
  return page(
    '# Rules',
    GENERATED,
    [
      'A plan that breaks a rule is refused before anything runs, with the name of the rule, what breaks it, and the remedy.',
      'Rules judge a plan independently of the planner that drew it; they are told in this order.',
    ],
    table(
      ['Rule', 'What it says', 'Remedy'],
      RULES.map(({ name, text, remedy }) => [code(name), text, remedy]),
    ),
  );
}
