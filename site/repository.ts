/** Where people browse the repository, as package.json says. */

/** `git+https://github.com/OWNER/NAME.git` is `https://github.com/OWNER/NAME`; undefined where package.json names none. */
export function repositoryOf(packageJson: string): string | undefined {
  const parsed: unknown = JSON.parse(packageJson);
  const named = field(parsed, 'repository');
  const url = typeof named === 'string' ? named : field(named, 'url');
  return typeof url === 'string' ? /https:\/\/[^/]+\/[^/]+\/[^/]+?(?=\.git$|\/?$)/.exec(url)?.[0] : undefined;
}

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined;
