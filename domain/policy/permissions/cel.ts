/** Field trees as CEL of a ValidatingAdmissionPolicy: variables for each level that is looked into, and one comparison per level. Pure. */
import { capital } from '../../core/text.ts';
import { type Fields, isItems } from './fields.ts';

export interface Variable {
  name: string;
  expression: string;
}

export interface Comparison {
  expression: string;
  /** "spec.template" */
  at: string;
  /** What may differ there. */
  may: readonly string[];
}

export interface Comparisons {
  variables: Variable[];
  comparisons: Comparison[];
}

/** An update's old and new object differ in nothing but `fields`. */
export function comparisonsOf(fields: Fields): Comparisons {
  const variables = ['object', 'oldObject'].map((name) => ({ name: variableOf(name, []), expression: `dyn(${name})` }));
  const inner = compare(fields, []);
  return { variables: [...variables, ...inner.variables], comparisons: inner.comparisons };
}

function compare(fields: Fields, path: readonly string[]): Comparisons {
  const names = Object.keys(fields);
  const [is, was] = [variable('object', path), variable('oldObject', path)];
  const own: Comparison = { expression: sameBut(is, was, names), at: path.join('.'), may: names };
  const inner = Object.entries(fields).map(([key, value]): Comparisons => {
    if (value === 'any') return { variables: [], comparisons: [] };
    const at = [...path, key];
    const empty = isItems(value) ? '[]' : '{}';
    const variables = ['object', 'oldObject'].map((name) => ({
      name: variableOf(name, at),
      // An optional field: an absent map is as good as an empty one.
      expression: `${variable(name, path)}.?${key}.orValue(${empty})`,
    }));
    if (!isItems(value)) {
      const below = compare(value, at);
      return { variables: [...variables, ...below.variables], comparisons: below.comparisons };
    }
    const [items, earlier] = [variable('object', at), variable('oldObject', at)];
    const expression = `${items}.size() == ${earlier}.size() && ${items}.all(item, ${earlier}.exists(was, ${sameBut('item', 'was', value.items)}))`;
    return { variables, comparisons: [{ expression, at: `${at.join('.')}[]`, may: value.items }] };
  });
  return {
    variables: inner.flatMap(({ variables }) => variables),
    comparisons: [own, ...inner.flatMap(({ comparisons }) => comparisons)],
  };
}

/** A level whose key is absent on one side and holds an empty map on the other is equal, as long as the key may be looked into. */
function sameBut(is: string, was: string, names: readonly string[]): string {
  const list = `[${names.map((name) => `'${name}'`).join(', ')}]`;
  return `${is}.all(key, key in ${list} || (key in ${was} && ${is}[key] == ${was}[key])) && ${was}.all(key, key in ${list} || key in ${is})`;
}

const variable = (root: string, path: readonly string[]): string => `variables.${variableOf(root, path)}`;

/** "newSpecTemplate", "oldSpecTemplate" */
function variableOf(root: string, path: readonly string[]): string {
  const side = root === 'object' ? 'new' : 'old';
  return side + (path.length === 0 ? 'Object' : path.map(capital).join(''));
}
