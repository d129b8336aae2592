/** The alerts of the chart. */
import { z } from 'zod';
import { yamlOf } from './files.ts';

export const RULES = 'deploy/chart/monitoring/rules.yaml';

const Rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string(), description: z.string() }),
});
const Rules = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule) })) });

/** In the order of the file. Throws for anything that is no such rule. */
export const rulesIn = (): z.infer<typeof Rule>[] => Rules.parse(yamlOf(RULES)[0]).groups.flatMap(({ rules }) => rules);
