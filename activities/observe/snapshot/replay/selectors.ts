/** Label and field selectors as queries carry them. https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api */
import { type LabelSelector, matches } from '../../../../domain/core/label-selectors.ts';
import { field } from '../../../../domain/core/unknown.ts';

type Expression = NonNullable<LabelSelector['matchExpressions']>[number];

/** Whether labels match; throws for what is no selector. */
export function byLabels(query: string): (labels: Record<string, string> | undefined) => boolean {
  // Commas within the parentheses of "in (a,b)" separate values.
  const terms = query.split(/,(?![^(]*\))/).map((term) => term.trim());
  const wanted = terms.map(termOf);
  return (labels = {}) => wanted.every(({ expression, not }) => matches({ matchExpressions: [expression] }, labels) !== not);
}

function termOf(term: string): { expression: Expression; not: boolean } {
  const [, key = '', operator = '', values = ''] = /^([^\s!=,()]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term) ?? [];
  if (operator !== '')
    return { expression: { key, operator: 'In', values: values.split(',').map((one) => one.trim()) }, not: operator === 'notin' };
  const [, name = '', sign = '', value = ''] = /^([^\s!=,()]+)\s*(==|=|!=)\s*(.*)$/.exec(term) ?? [];
  if (sign !== '') return { expression: { key: name, operator: 'In', values: [value] }, not: sign === '!=' };
  const [, no = '', label = ''] = /^(!?)\s*([^\s!=,()]+)$/.exec(term) ?? [];
  if (label === '') throw new Error(`"${term}" is no label selector`);
  return { expression: { key: label, operator: 'Exists' }, not: no === '!' };
}

/** "spec.nodeName=a,status.phase!=Failed": any field, as the API server would know only some. A field that is not there is ''. */
export function byFields(query: string): (object: unknown) => boolean {
  const wanted = query.split(',').map((term) => {
    const [, path = '', sign = '', value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(term.trim()) ?? [];
    if (path === '') throw new Error(`"${term}" is no field selector`);
    return { path: path.split('.'), value, not: sign === '!=' };
  });
  return (object) => wanted.every(({ path, value, not }) => (textAt(object, path) === value) !== not);
}

function textAt(object: unknown, path: readonly string[]): string {
  const found = path.reduce<unknown>((inner, key) => field(inner, key), object);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}
