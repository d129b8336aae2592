/** Links of documents on the site: to pages where there are such, to the repository for other files, as plain text where neither is known. */
import { addressOf, isPage, targetOf } from './pages.ts';

export interface Places {
  /** Where people browse the repository, such as `https://github.com/OWNER/NAME`; undefined where nobody has said. */
  repository?: string | undefined;
}

/** What a link becomes; undefined where only its text stays. */
export function linkOf(source: string, href: string, { repository }: Places): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('#')) return href;
  const [path = '', anchor] = href.split('#');
  const target = targetOf(source, path);
  if (target === undefined) return undefined;
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (isPage(target)) return `${addressOf(target)}${hash}`;
  return repository === undefined ? undefined : `${repository}/blob/HEAD/${target}${hash}`;
}

/** The part of markdown-it's token that is used here. */
interface Token {
  type: string;
  children: Token[] | null;
  hidden: boolean;
  content: string;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface State {
  tokens: Token[];
  env: { realPath?: string; path?: string };
}

export interface MarkdownIt {
  core: { ruler: { push(name: string, rule: (state: State) => void): void } };
}

/**
 * Rewrites links for the site. `sourceOf` names the document of a rendering from the repository's root. A picture that links to a recording (`….cast`)
 * becomes its player: GitHub shows the picture.
 */
export function rewriteLinks(md: MarkdownIt, sourceOf: (env: State['env']) => string, places: Places): void {
  md.core.ruler.push('belay-links', ({ tokens, env }) => {
    const source = sourceOf(env);
    for (const token of tokens) {
      if (token.type !== 'inline') continue;
      const recording = recordingOf(token);
      if (recording !== undefined) {
        Object.assign(token, { type: 'html_inline', content: `<Recording name="${recording}" />`, children: null });
        continue;
      }
      let dropped = 0;
      for (const child of token.children ?? []) {
        if (child.type === 'link_open') {
          const href = decodeURI(child.attrGet('href') ?? '');
          const link = linkOf(source, href, places);
          if (link === undefined) {
            child.type = 'text';
            dropped += 1;
          } else child.attrSet('href', link);
        } else if (child.type === 'link_close' && dropped > 0) {
          // Links do not nest: this one closes what was dropped.
          child.type = 'text';
          dropped -= 1;
        }
      }
    }
  });
}

/** The name of the recording that a picture links to, where that is all of the paragraph. */
function recordingOf({ children }: Token): string | undefined {
  if (children?.map(({ type }) => type).join(' ') !== 'link_open image link_close') return undefined;
  return /recordings\/([\w-]+)\.cast$/.exec(children[0]?.attrGet('href') ?? '')?.[1];
}
