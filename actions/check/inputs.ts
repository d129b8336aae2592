/** What the workflow asks for, from the environment. Everything is checked before anything is started: the values may come from whoever opened the pull request. */

export interface Inputs {
  /** Of `belay check`. */
  args: string[];
  failOn: FailOn;
  /** How people know the cluster, for the comment. */
  name: string;
  /** A program of one word, in place of the package. */
  command: string | undefined;
  comment: { author: string; token: string } | undefined;
}

/** An input that is not what it has to be. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

const FAIL_ON = ['required', 'recommended', 'unknown', 'never'] as const;
export type FailOn = (typeof FAIL_ON)[number];
/** Names of clusters in belay.yaml, and of EKS. */
const CLUSTER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MINOR = /^1\.\d{2}$/;
/** Begins with no dash, so that no option is made of it; has no control characters, so that no workflow command is. */
const PATH = /^(?!-)[^\p{Cc}]{1,500}$/u;
const LOGIN = /^[A-Za-z0-9-]{1,80}(\[bot\])?$/;

/** Throws InputError with the input's name, its value and what would be right. */
export function inputsOf(env: Readonly<Record<string, string | undefined>>): Inputs {
  const input = (name: string): string => env[`BELAY_ACTION_${name.toUpperCase().replaceAll('-', '_')}`] ?? '';
  const optional = (name: string, form: RegExp, example: string): string | undefined => {
    const value = input(name);
    if (value === '') return undefined;
    if (!form.test(value)) throw new InputError(`Input ${name} is ${JSON.stringify(value)}. Write ${example}.`);
    return value;
  };
  const cluster = optional('cluster', CLUSTER, 'a name of belay.yaml, such as prod');
  const snapshot = optional('snapshot', PATH, 'the path of a file of belay snapshot');
  if ((cluster === undefined) === (snapshot === undefined)) throw new InputError('Give one of the inputs cluster and snapshot.');
  const target = optional('target', MINOR, 'a version such as 1.34');
  const config = optional('config', PATH, 'the path of a file');
  const asked = input('fail-on') || 'unknown';
  const failOn = FAIL_ON.find((each) => each === asked);
  if (failOn === undefined) throw new InputError(`Input fail-on is ${JSON.stringify(asked)}. Write one of ${FAIL_ON.join(', ')}.`);
  const wanted = optional('comment', /^(true|false)$/, 'true or false') ?? 'true';
  const author = optional('comment-author', LOGIN, 'a login such as github-actions[bot]') ?? 'github-actions[bot]';
  const token = input('token');
  return {
    args: [
      'check',
      ...(cluster === undefined ? [] : [cluster]),
      ...(snapshot === undefined ? [] : ['--snapshot', snapshot]),
      ...(target === undefined ? [] : ['--target', target]),
      ...(config === undefined ? [] : ['--config', config]),
      // The check says all that it sees, whatever the job accepts: with "never" it would say that everything is ready.
      '--fail-on',
      failOn === 'recommended' ? 'recommended' : 'unknown',
      '--format',
      'markdown',
    ],
    failOn,
    name: cluster ?? snapshot?.split('/').at(-1) ?? '',
    command: optional('command', PATH, 'the path of a program'),
    comment: wanted === 'true' && token !== '' ? { author, token } : undefined,
  };
}
