/** One list of an account out of those of its clusters: what a request asks all of them for comes back as one. */
import type { World } from '../world/world.ts';
import { cut } from './query.ts';
import { isList, type XmlValue } from './xml.ts';

type Answer = Record<string, XmlValue>;

/** One cluster's part of a request: without what belongs to another one. */
export interface Part {
  world: World;
  /** False for a value that names something of another cluster. */
  mine: (value: string) => boolean;
}

/** How a service names the pages of its lists. */
export interface Paging {
  size: string;
  token: string;
  /** Member of the answer with the token of the next page. */
  next: string;
}

type Ask = (world: World, form: URLSearchParams) => Answer;

/** One cluster's answer as it is; of several, their lists as one. */
export function answerOf(parts: readonly Part[], form: URLSearchParams, paging: Paging, ask: Ask): Answer {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('a request is about one cluster at least');
  if (others.length === 0) return ask(first.world, form);
  // The list by its name in the answer; what all clusters have in common, such as a zone, is there once.
  const lists = new Map<string, Map<string, XmlValue>>();
  for (const part of parts)
    for (const answer of pagesOf(part, form, paging, ask))
      for (const [member, value] of Object.entries(answer)) if (isList(value)) addTo(lists, member, value);
  const [list] = lists;
  // Several name one thing, such as a role that they share.
  if (list === undefined) return ask(first.world, form);
  const [member, items] = list;
  const { items: page, token } = cut([...items.values()], form, paging);
  return { [member]: page, [paging.next]: token };
}

function addTo(lists: Map<string, Map<string, XmlValue>>, member: string, items: readonly XmlValue[]): void {
  const list = lists.get(member) ?? new Map<string, XmlValue>();
  lists.set(member, list);
  for (const item of items) list.set(JSON.stringify(item), item);
}

/** All pages of one cluster's list. */
function* pagesOf({ world, mine }: Part, form: URLSearchParams, { size, token, next }: Paging, ask: Ask): Generator<Answer> {
  const own = new URLSearchParams([...form].filter(([name, value]) => name !== size && name !== token && mine(value)));
  for (;;) {
    const answer = ask(world, own);
    yield answer;
    const more = answer[next];
    if (typeof more !== 'string') return;
    own.set(token, more);
  }
}
