/** Label selectors: does one match, and how is it written in a query. */

/** metav1.LabelSelector. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Semantics of policy/v1 and apps/v1: an empty selector matches everything, an absent one nothing, an unknown operator nothing. */
export function matches(selector: LabelSelector | null | undefined, labels: Record<string, string> = {}): boolean {
  if (selector === null || selector === undefined) return false;
  // Asked for each budget and each of fifty thousand pods: Object.entries takes several times as long.
  const { matchLabels = {} } = selector;
  for (const key in matchLabels) if (labels[key] !== matchLabels[key]) return false;
  return (selector.matchExpressions ?? []).every((expression) => matchesExpression(expression, labels));
}

/** metav1.LabelSelectorRequirement; an operator that it does not have matches nothing. */
export function matchesExpression(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] },
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** The selector as a `labelSelector` query; undefined for the empty selector, which needs none. */
export function toQuery(selector: LabelSelector): string | undefined {
  const terms = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (operator === 'In') terms.push(`${key} in (${values.join(',')})`);
    else if (operator === 'NotIn') terms.push(`${key} notin (${values.join(',')})`);
    else if (operator === 'Exists') terms.push(key);
    else if (operator === 'DoesNotExist') terms.push(`!${key}`);
  }
  return terms.length === 0 ? undefined : terms.join(',');
}
