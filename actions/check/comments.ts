/** One comment of a pull request, edited in place. https://docs.github.com/en/rest/issues/comments */

export interface PullRequest {
  /** https://api.github.com */
  api: string;
  /** "owner/name" */
  repository: string;
  number: number;
  token: string;
}

interface Listed {
  id: number;
  body?: string | null;
  user: { login: string } | null;
}

/** GitHub's answer was not the one that was asked for. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
}

const PAGE = 100;
const MAX_PAGES = 50;
const LIMIT_MS = 30_000;

/**
 * Edits the author's comment that begins with the marker, or makes one. Gives its address. Only comments of this author: whoever can comment can write
 * the marker, and could change afterwards what seems to be the report. Throws GitHubError with the status and GitHub's words.
 */
export async function upsertComment(
  pull: PullRequest,
  { marker, author, body }: { marker: string; author: string; body: string },
): Promise<string> {
  const own = await find(pull, (comment) => comment.user?.login === author && (comment.body ?? '').startsWith(marker));
  const answer =
    own === undefined
      ? await request(pull, 'POST', `issues/${pull.number}/comments`, { body })
      : await request(pull, 'PATCH', `issues/comments/${own.id}`, { body });
  const { html_url: url } = answer as { html_url?: unknown };
  return typeof url === 'string' && /^https?:\/\/\S+$/.test(url) ? url : '';
}

async function find(pull: PullRequest, is: (comment: Listed) => boolean): Promise<Listed | undefined> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const comments = await request(pull, 'GET', `issues/${pull.number}/comments?per_page=${PAGE}&page=${page}`);
    if (!Array.isArray(comments)) throw new GitHubError('GitHub did not list the comments of the pull request.');
    const found = (comments as Listed[]).find(is);
    if (found !== undefined || comments.length < PAGE) return found;
  }
  throw new GitHubError(`Pull request ${pull.number} has more than ${PAGE * MAX_PAGES} comments, and none of the first is the report.`);
}

async function request({ api, repository, token }: PullRequest, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${api}/repos/${repository}/${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-github-api-version': '2022-11-28',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const said = typeof answer === 'object' && answer !== null && 'message' in answer ? `: ${String(answer.message).slice(0, 200)}` : '';
  throw new GitHubError(`GitHub answered ${method} ${path.split('?')[0]} with ${response.status}${said}`);
}
