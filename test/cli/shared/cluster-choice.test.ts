/** Which cluster the arguments of a command mean, and which of them contradict each other. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { askWhich } from '../../../cli/shared/ask-which.ts';
import { type ClusterArguments, clusterChoice } from '../../../cli/shared/cluster-choice.ts';

describe('the arguments', () => {
  const file = 'belay.yaml';
  test.each<[string, ClusterArguments, object]>([
    ['nothing at all', {}, { from: 'aws' }],
    ['an argument without a file', { named: 'prod' }, { from: 'aws', name: 'prod' }],
    ['an argument and how AWS is reached', { named: 'prod', region: 'eu-west-1', profile: 'p', role: 'r' }, { from: 'aws', name: 'prod' }],
    ['--cluster', { cluster: 'prod', region: 'eu-west-1' }, { from: 'aws', name: 'prod' }],
    ['--context, read by another profile', { context: 'c', profile: 'p' }, { from: 'aws' }],
    ['--kubeconfig alone: its current context', { kubeconfig: 'k' }, { from: 'aws' }],
    ['--region alone: to choose from', { region: 'eu-west-1' }, { from: 'aws' }],
    ['an argument with a file', { named: 'prod', file }, { from: 'file', name: 'prod' }],
    ['a file alone', { file }, { from: 'file' }],
    ['a file that is named', { named: 'prod', config: 'other.yaml' }, { from: 'file', name: 'prod' }],
    ['--cluster goes before a file that lies there', { cluster: 'prod', file }, { from: 'aws', name: 'prod' }],
    ['--context goes before a file that lies there', { context: 'c', file }, { from: 'aws' }],
  ])('%s', (_title, given, expected) => {
    expect(clusterChoice(given)).toEqual(expected);
  });

  test.each<[ClusterArguments, string]>([
    [{ named: 'a', cluster: 'b' }, 'Use either a or --cluster b, not both.'],
    [{ named: 'a', context: 'c' }, 'Use either a or --context, not both: the first is looked up in AWS, the second in a kubeconfig.'],
    [
      { cluster: 'a', context: 'c' },
      'Use either --cluster a or --context, not both: the first is looked up in AWS, the second in a kubeconfig.',
    ],
    [
      { cluster: 'a', kubeconfig: 'k' },
      'Use either --cluster a or --kubeconfig, not both: the first is looked up in AWS, the second in a kubeconfig.',
    ],
    [{ context: 'c', region: 'eu-west-1' }, 'Use either --region or --context, not both: a context already has its region.'],
    [
      { cluster: 'a', config: 'b.yaml' },
      'Use either --config or --cluster, not both: --cluster is for a cluster that is not in belay.yaml.',
    ],
    [
      { context: 'c', config: 'b.yaml' },
      'Use either --config or --context, not both: --context is for a cluster that is not in belay.yaml.',
    ],
    [
      { named: 'a', profile: 'p', file },
      'belay.yaml already says where its clusters are and how to reach them: leave out --profile, or name a cluster that is not in the file with --cluster NAME.',
    ],
    [
      { region: 'eu-west-1', config: 'b.yaml' },
      'b.yaml already says where its clusters are and how to reach them: leave out --region, or name a cluster that is not in the file with --cluster NAME.',
    ],
  ])('refuses %j', (given, why) => {
    expect(() => clusterChoice(given)).toThrow(expect.objectContaining({ message: why, exitCode: 1 }));
  });
});

describe('the list', () => {
  const names = ['dev', 'prod', '3'];

  /** What is asked, and what comes of it. */
  async function answering(...answers: string[]): Promise<{ said: string; chosen: string }> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const chosen = askWhich('eu-west-1', names, { input, output }).catch((error: unknown) => `refused: ${String(error)}`);
    input.end(answers.map((answer) => `${answer}\n`).join(''));
    const result = await chosen;
    output.end();
    return { said: String(output.read() ?? ''), chosen: result };
  }

  test('shows a number for each cluster', async () => {
    const { said, chosen } = await answering('2');
    expect(said).toMatch(/^EKS clusters in eu-west-1:\n {2}1 {2}dev\n {2}2 {2}prod\n {2}3 {2}3\nWhich one\? \[1-3\] /);
    expect(chosen).toBe('prod');
  });

  test('takes a name, and a name goes before a number', async () => {
    expect((await answering('dev')).chosen).toBe('dev');
    expect((await answering(' 3 ')).chosen).toBe('3');
  });

  test('an end of input chooses nothing', async () => {
    expect((await answering()).chosen).toBe('refused: CliError: No cluster was chosen.');
  });

  test.each(['0', '4', '', 'y'])('%j is none of them, and is asked again', async (answer) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const chosen = askWhich('eu-west-1', names, { input, output });
    input.write(`${answer}\n`);
    const said: string[] = [];
    output.on('data', (chunk) => {
      said.push(String(chunk));
      if (said.join('').split('Which one?').length === 3) input.write('1\n');
    });
    expect(await chosen).toBe('dev');
    expect(said.join('')).toContain(`"${answer}" is not in the list. Enter a number from 1 to 3, or a name.\n`);
  });
});
