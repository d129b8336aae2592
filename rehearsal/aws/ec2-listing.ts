/** How EC2's lists are asked for: by ids, by filters, in pages. */
import { AwsError } from './eks/errors.ts';
import { cut, filtersOf, numbered, passing, type Readers } from './query.ts';
import type { XmlValue } from './xml.ts';

export type Answer = Record<string, XmlValue>;

/** How one list of EC2 is asked for and answered. */
interface Listing<T> {
  /** Element of the answer. */
  element: string;
  /** Numbered parameter with ids, and the error for an id that is not there. */
  ids: { parameter: string; of: (item: T) => string; missing: (id: string) => AwsError };
  filters: Readers<T>;
  render: (item: T) => XmlValue;
}

/** Throws the listing's own error for an id that is not there. */
export function listed<T>(form: URLSearchParams, all: readonly T[], listing: Listing<T>): Answer {
  const { parameter, of, missing } = listing.ids;
  const asked = numbered(form, parameter);
  for (const id of asked) if (!all.some((item) => of(item) === id)) throw missing(id);
  const wanted = asked.length === 0 ? all : all.filter((item) => asked.includes(of(item)));
  const found = passing(wanted, filtersOf(form, 'Filter', 'Value'), listing.filters);
  // EC2 pages what is asked for by filters; it refuses MaxResults beside ids (API Reference, DescribeInstances).
  const { items, token } = asked.length > 0 ? { items: found } : cut(found, form, { size: 'MaxResults', token: 'NextToken' });
  return { [listing.element]: items.map(listing.render), nextToken: token };
}

export const lacking = (code: string, what: string): ((id: string) => AwsError) => {
  return (id) => new AwsError(400, code, `The ${what} '${id}' does not exist`);
};
