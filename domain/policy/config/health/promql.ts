/** PromQL as Prometheus' own grammar reads it: where a query is wrong, and the same query with matchers in each of its selectors. */
import { parser } from '@prometheus-io/lezer-promql';

/** Each selector's place for matchers. `comma`: it has some already. */
interface Place {
  at: number;
  comma: boolean;
  /** It has no braces yet. */
  bare: boolean;
}

interface Reading {
  /** Where it stops being PromQL, counted from 0; undefined: nowhere. */
  errorAt?: number;
  places: Place[];
}

/** What is wrong with the syntax of a query, for people; undefined: nothing. Types of arguments are left to Prometheus. */
export function promqlProblem(query: string): string | undefined {
  const { errorAt } = read(query);
  if (errorAt === undefined) return undefined;
  const rest = query.slice(errorAt).trim();
  const near = rest === '' ? 'at its end' : `at character ${errorAt + 1}, "${rest.length > 20 ? `${rest.slice(0, 20)}…` : rest}"`;
  return `write PromQL: it breaks off ${near}`;
}

/** One matcher such as cluster="prod" or env=~"a|b"; the metric's name is the selector's own. */
export const MATCHER = /^\s*(?!__name__)[a-zA-Z_]\w*\s*(=|!=|=~|!~)\s*("([^"\\\n]|\\.)*"|'([^'\\\n]|\\.)*')\s*$/;

/** The query with the matchers in each vector selector, those of ranges and subqueries included. What is no PromQL comes back as it is. */
export function withMatchers(query: string, matchers: readonly string[]): string {
  const { errorAt, places } = read(query);
  if (matchers.length === 0 || errorAt !== undefined) return query;
  const text = matchers.join(',');
  // From the back, so that the places before keep their positions.
  return places.reduceRight((result, { at, comma, bare }) => {
    const added = bare ? `{${text}}` : comma ? `${text},` : text;
    return result.slice(0, at) + added + result.slice(at);
  }, query);
}

function read(query: string): Reading {
  const reading: Reading = { places: [] };
  parser.parse(query).iterate({
    enter({ type, node, from, to }) {
      if (type.isError) reading.errorAt ??= from;
      if (type.name !== 'VectorSelector') return;
      const braces = node.getChild('LabelMatchers');
      reading.places.push(
        braces === null
          ? { at: node.getChild('Identifier')?.to ?? to, comma: false, bare: true }
          : { at: braces.from + 1, comma: braces.firstChild !== null, bare: false },
      );
    },
  });
  return reading;
}
