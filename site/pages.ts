/** Which documents of the repository are pages of the site, and where. Sources stay where GitHub shows them. */
import { posix } from 'node:path';

/** Folders and files of the repository's root that have pages. */
export const SOURCES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'deploy/*.md'];

const PLACES: Readonly<Record<string, string>> = { 'README.md': 'index.md', 'docs/README.md': 'documents.md' };

/** Is this file, named from the repository's root, a page of the site? */
export function isPage(source: string): boolean {
  return SOURCES.some((pattern) => posix.matchesGlob(source, pattern));
}

/** `docs/operate/gates.md` is at `operate/gates.md`; a README is its folder's index. */
export function placeOf(source: string): string {
  return PLACES[source] ?? source.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
}

/** Its address below the site's base: `/operate/gates.html`. */
export function addressOf(source: string): string {
  return `/${placeOf(source).replace(/\.md$/, '.html')}`.replace(/\/index\.html$/, '/');
}

/** The file that a link in a document means, named from the repository's root; undefined outside of it. */
export function targetOf(source: string, link: string): string | undefined {
  const target = posix.normalize(posix.join(posix.dirname(source), link));
  return target.startsWith('..') ? undefined : target;
}
