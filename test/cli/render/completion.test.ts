import { expect, test } from 'vitest';
import { programFor } from '../../../cli/program.ts';
import { candidates, type Lookups } from '../../../cli/render/completion/candidates.ts';

const LOOKUPS: Lookups = {
  clusters: () => ['prod', 'staging', 'odd name', '$(rm)'],
  contexts: () => [{ context: 'work', cluster: 'shop' }],
  gates: (cluster) =>
    Promise.resolve(
      cluster === 'prod'
        ? [
            { id: 'before:control-plane@1.34#1', choices: ['approve', 'reject'] },
            { id: 'failed:node-groups@1.34#1', choices: ['retry', 'skip'] },
          ]
        : [],
    ),
};

const offered = async (...words: string[]): Promise<string[]> => await candidates(await programFor(words), words, LOOKUPS);

test.each<[string, string[], string[]]>([
  ['commands', ['re'], ['reconcile', 'rehearse', 'report', 'resume', 'retry']],
  ['commands of a command', ['campaign', 'p'], ['pause', 'plan', 'promote', 'proposals', 'propose']],
  ['nothing hidden', ['__'], []],
  ['options of the command', ['status', '--'], ['--config', '--debug', '--format', '--help', '--watch']],
  ['clusters, and none that a shell would read', ['start', ''], ['prod', 'staging']],
  ['clusters after options with values', ['start', '--target', '1.34', 'st'], ['staging']],
  ['words of an option', ['report', 'prod', '--format', ''], ['html', 'json', 'markdown', 'png', 'text']],
  ['words of an option, assigned', ['plan', 'prod', '--strategy=o'], ['--strategy=once-at-the-end']],
  ['no words where an option wants a file', ['status', '--config', ''], []],
  ['clusters and contexts of a kubeconfig', ['check', '--cluster', ''], ['shop']],
  ['the same, assigned', ['check', '--context=w'], ['--context=work']],
  ['open gates', ['decide', 'prod', 'f'], ['failed:node-groups@1.34#1']],
  ['choices of that gate', ['decide', 'prod', 'failed:node-groups@1.34#1', ''], ['retry', 'skip']],
  ['choices by the beginning of a gate', ['decide', 'prod', 'before', 'a'], ['approve']],
  ['nothing after the last argument', ['decide', 'prod', 'before', 'approve', ''], []],
  ['shells', ['completion', ''], ['bash', 'fish', 'zsh']],
])('%s', async (_, words, expected) => {
  expect(await offered(...words)).toEqual(expected);
});
