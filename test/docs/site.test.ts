/** How the site reads the repository's documents: places of pages, links, anchors, the sidebar. That it builds is tried in test/browser/site.test.ts. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { anchorOf } from '../../site/anchors.ts';
import { linkOf } from '../../site/links.ts';
import { addressOf, isPage, placeOf } from '../../site/pages.ts';
import { repositoryOf } from '../../site/repository.ts';
import { groupsOf } from '../../site/sidebar.ts';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

test.each([
  ['README.md', 'index.md', '/'],
  ['docs/README.md', 'documents.md', '/documents.html'],
  ['docs/check.md', 'check.md', '/check.html'],
  ['docs/operate/gates.md', 'operate/gates.md', '/operate/gates.html'],
  ['docs/design/README.md', 'design/index.md', '/design/'],
  ['deploy/README.md', 'deploy/index.md', '/deploy/'],
  ['CONTRIBUTING.md', 'CONTRIBUTING.md', '/CONTRIBUTING.html'],
])('%s is at %s', (source, place, address) => {
  expect([isPage(source), placeOf(source), addressOf(source)]).toEqual([true, place, address]);
});

test('sources of rooms, and folders below deploy/, are no pages', () => {
  expect(['workflows/README.md', 'deploy/chart/README.md', 'docs/images/gate.png', 'LICENSE'].filter(isPage)).toEqual([]);
});

describe('links', () => {
  const repository = 'https://git.example/owner/belay';

  test.each([
    ['docs/check.md', 'plan.md', '/plan.html'],
    ['docs/check.md', 'plan.md#what-it-shows', '/plan.html#what-it-shows'],
    ['docs/operate/gates.md', '../../deploy/README.md#aws-rights', '/deploy/#aws-rights'],
    ['docs/operate/gates.md', '../README.md', '/documents.html'],
    ['README.md', 'docs/README.md', '/documents.html'],
    ['docs/check.md', '../README.md#compared', '/#compared'],
    ['docs/check.md', '#in-ci', '#in-ci'],
    ['docs/check.md', 'https://temporal.io', 'https://temporal.io'],
    ['docs/check.md', '../deploy/iam-policy.json', `${repository}/blob/HEAD/deploy/iam-policy.json`],
    ['docs/check.md', '../../elsewhere.md', undefined],
  ])('in %s: %s', (source, href, link) => {
    expect(linkOf(source, href, { repository })).toBe(link);
  });

  test('without a known repository a link to a source file is plain text, and one to a page stays', () => {
    expect(linkOf('docs/check.md', '../deploy/iam-policy.json', {})).toBeUndefined();
    expect(linkOf('docs/check.md', 'plan.md', {})).toBe('/plan.html');
  });
});

test('anchors are those of GitHub', () => {
  expect(['What is real?', 'With `--kubernetes real`', 'kept:freeze-drift', '3. Slack app'].map(anchorOf)).toEqual([
    'what-is-real',
    'with---kubernetes-real',
    'keptfreeze-drift',
    '3-slack-app',
  ]);
});

test('the repository is the one of package.json, in each of the forms that npm allows', () => {
  const named = (repository: unknown): string | undefined => repositoryOf(JSON.stringify({ repository }));
  expect(named({ type: 'git', url: 'git+https://github.com/owner/name.git' })).toBe('https://github.com/owner/name');
  expect(named('https://github.com/owner/name')).toBe('https://github.com/owner/name');
  expect([named(undefined), named('git@github.com:owner/name.git')]).toEqual([undefined, undefined]);
});

describe('the sidebar', () => {
  test('has a group for each list: before the first heading, under headings, in bold, and by the word before a colon', () => {
    const text = `# T\n\n- [A](a.md): see [B](b.md).\n\n## Two\n\n- [C](../deploy/README.md): x. [D](../deploy/SECURITY.md): y.\n- [E](../LICENSE)\n\n**Three**\n- [F](f.md#x)\n\nFour: [G](g.md), [H](h.md).\n\nNext: [A](a.md).\n`;
    expect(groupsOf('docs/README.md', text, 'One')).toEqual([
      { text: 'One', items: [{ text: 'A', link: '/a.html' }] },
      {
        text: 'Two',
        items: [
          { text: 'C', link: '/deploy/' },
          { text: 'D', link: '/deploy/SECURITY.html' },
        ],
      },
      { text: 'Three', items: [{ text: 'F', link: '/f.html' }] },
      {
        text: 'Four',
        items: [
          { text: 'G', link: '/g.html' },
          { text: 'H', link: '/h.html' },
        ],
      },
    ]);
  });

  test('of the documents has their groups, each page once', () => {
    const groups = groupsOf('docs/README.md', read('docs/README.md'), 'Start here');
    expect(groups.map(({ text }) => text)).toEqual(['Start here', 'Operate', 'Reference', 'Inside']);
    const links = groups.flatMap(({ items }) => items.map(({ link }) => link));
    expect(links).toEqual([...new Set(links)]);
    expect(links).toContain('/operate/gates.html');
    expect(groupsOf('docs/design/README.md', read('docs/design/README.md'), 'Design notes').length).toBeGreaterThan(5);
  });
});
