/** The documents as a site. `npm run site` builds it into site/dist, `npm run site:dev` serves it while pages are edited. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../anchors.ts';
import { rewriteLinks } from '../links.ts';
import { placeOf } from '../pages.ts';
import { repositoryOf } from '../repository.ts';
import { groupsOf } from '../sidebar.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const groups = (source: string, first: string) => groupsOf(source, read(source), first);
const repository = process.env['BELAY_SITE_REPOSITORY'] ?? repositoryOf(read('package.json'));

export default defineConfig({
  title: 'Belay',
  description: 'A durable runbook for Amazon EKS upgrades: Slack in front, Temporal underneath.',
  lang: 'en',
  // Below which path it is served: `/belay/` on GitHub Pages.
  base: process.env['BELAY_SITE_BASE'] ?? '/',
  srcDir: root,
  srcExclude: ['!(docs|deploy)/**/*.md', '!(README|CHANGELOG|CONTRIBUTING).md', 'deploy/*/**'],
  ignoreDeadLinks: 'localhostLinks',
  outDir: `${root}site/dist`,
  cacheDir: `${root}node_modules/.cache/vitepress`,
  rewrites: placeOf,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => rewriteLinks(md, ({ realPath, path }) => relative(root, realPath ?? path ?? ''), { repository }),
  },
  vite: {
    // Nothing of the repository's root is copied as it is.
    publicDir: false,
    server: { host: '127.0.0.1', watch: { ignored: ['**/site/dist/**', '**/.belay/**', '**/test/**'] } },
    build: { chunkSizeWarningLimit: 4000 },
  },
  themeConfig: {
    nav: [
      { text: 'Try', link: '/try' },
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'All pages', link: '/documents' },
    ],
    sidebar: { '/design/': groups('docs/design/README.md', 'Design notes'), '/': groups('docs/README.md', 'Start here') },
    search: { provider: 'local' },
    outline: [2, 3],
    ...(repository === undefined ? {} : { editLink: { pattern: `${repository}/edit/HEAD/:path`, text: 'Edit this page' } }),
    ...(repository === undefined ? {} : { socialLinks: [{ icon: 'github', link: repository }] }),
    // Pages say themselves which is next.
    docFooter: { prev: false, next: false },
  },
});
