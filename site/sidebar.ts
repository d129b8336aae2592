/** The site's sidebar, read from the lists of docs/README.md and docs/design/README.md: whoever adds a page there adds it here. */
import { addressOf, isPage, targetOf } from './pages.ts';

export interface SidebarItem {
  text: string;
  link: string;
}

export interface SidebarGroup {
  text: string;
  items: SidebarItem[];
  collapsed?: boolean;
}

const LINK = /\[([^\]]+)\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g;
/** A list or paragraph that names its own group: "Reference: [Commands](…), …". */
const NAMED = /^(?:\*\*([^*]+)\*\*$|(\w[\w ]*): (?=\[))/;

/**
 * Groups of links in the order of the document: those under a heading, in bold or by the word before a colon. What comes before the first heading is
 * called `first`. The last line, "Next: …", is no group; nor are links to what is no page.
 */
export function groupsOf(source: string, text: string, first: string): SidebarGroup[] {
  const groups: SidebarGroup[] = [{ text: first, items: [] }];
  for (const line of text.split('\n')) {
    if (line.startsWith('Next: ')) continue;
    const heading = /^##+ (.+)$/.exec(line)?.[1];
    const [, bold, word] = NAMED.exec(line) ?? [];
    const named = heading ?? bold ?? word;
    if (named !== undefined) groups.push({ text: named, items: [] });
    if (heading === undefined) groups.at(-1)?.items.push(...itemsOf(source, line));
  }
  return groups.filter(({ items }) => items.length > 0);
}

function itemsOf(source: string, line: string): SidebarItem[] {
  // In a list the page's link begins the line; what its description links is not another page of the group.
  const links = line.startsWith('- ')
    ? [...line.matchAll(LINK)].filter(({ index }, at) => at === 0 || line.slice(0, index).endsWith('. '))
    : [...line.matchAll(LINK)];
  return links.flatMap(([, text = '', link = '']) => {
    const target = targetOf(source, link);
    return target !== undefined && isPage(target) ? [{ text, link: addressOf(target) }] : [];
  });
}
