/** docs/reference/rules.md: the rules that every plan keeps. */
import { RULES } from '../../domain/plan/rules/rules.ts';
import { code, GENERATED, list, next, page } from './markdown.ts';

export function rulesDocument(): string {
  return page(
    '# Rules',
    GENERATED,
    'For whoever was refused a plan. A plan that breaks *a rule* is refused before anything runs, with breach and remedy. Rules judge independently of the planner, in this order:',
    list(RULES.map(({ name, text, remedy }) => `${code(name)}: *${text}* ${remedy}`)),
    next('Failures', 'failures.md'),
  );
}
