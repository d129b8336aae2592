/** `belay conformance`: do the beliefs that Belay rests on hold here? Reads only, unless a cluster was made for throwing away. */
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { BELIEFS } from '../../domain/tables/beliefs/index.ts';
import { countTried } from '../../domain/tables/beliefs/verdict.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { nearest } from '../../domain/policy/config/base/nearest.ts';
import { type CommonOptions, type FormatOptions, readConfig, withCommon, withFormat } from '../shared/context.ts';
import { CliError, EXIT } from '../shared/errors.ts';
import { refuseUnwritable, writeOutput, writeReport } from '../shared/output.ts';
import { renderConformance } from '../render/conformance.ts';
import { withoutControls } from '../shared/controls.ts';
import { twoClusters, unknownBelief, whichCluster } from '../messages/arguments.ts';
import { beliefsBroken, beliefsLeft, beliefsUntried, mayChange, needsYes, nothingChanged } from '../messages/outcomes.ts';
import { defined } from '../../domain/core/defined.ts';

interface Options extends CommonOptions, FormatOptions {
  only?: string[];
  disposable?: string;
  yes?: boolean;
  /** False: --without-temporal. */
  withoutTemporal?: boolean;
  output?: string;
  recording?: string;
}

const ids = (value: string): string[] => value.split(',').map((id) => id.trim().toUpperCase());

export function conformanceCommand(): Command {
  return withFormat(withCommon(new Command('conformance')))
    .description('test Belay’s assumptions about EKS, Kubernetes and others (docs/inside/beliefs.md); reads only, unless --disposable')
    .argument('[cluster]', 'name in belay.yaml')
    .option('--only <ids>', 'only these assumptions, such as EKS-ARN,K8S-DATE', ids)
    .option('--disposable <cluster>', 'a disposable cluster: also run tests that change something, and restore it')
    .option('-y, --yes', 'with --disposable: do not ask for confirmation')
    .option('--without-temporal', 'with --disposable: do not check Temporal for an open upgrade')
    .option('-o, --output <file>', 'write the result to this file')
    .option('--recording <file>', 'record requests and answers to this file, without names, addresses, account IDs and secrets')
    .addHelpText(
      'after',
      '\nExit codes of conformance: 0 everything that was tested held · 2 something did not hold, or could not be restored · 3 nothing failed, but something could not be tested because a right or an answer is missing · 1 could not run',
    )
    .action(async (named: string | undefined, options: Options) => {
      refuseUnwritable('--output', options.output);
      refuseUnwritable('--recording', options.recording);
      const cluster = clusterOf(named, options);
      refuseUnknownIds(options.only ?? []);
      const config = readConfig(options);
      const disposable = options.disposable !== undefined;
      if (disposable) await refuseUnlessDisposable(config, cluster, options);
      const { runConformance } = await import('../../worker/local/conformance.ts');
      const { recording, ...result } = await runConformance(config, {
        cluster,
        disposable,
        record: options.recording !== undefined,
        ...defined({ only: options.only }),
      });
      if (options.recording !== undefined) writeOutput('--recording', options.recording, recording ?? '');
      const counts = countTried(result.tried);
      writeReport(
        options,
        options.format === 'json' ? JSON.stringify({ ...result, counts }, null, 2) : renderConformance(withoutControls(result)),
      );
      if (counts.broken > 0) throw new CliError(beliefsBroken(cluster, counts.broken), EXIT.refused);
      if (counts.left > 0) throw new CliError(beliefsLeft(cluster), EXIT.refused);
      if (counts.blind > 0) throw new CliError(beliefsUntried(cluster, counts.blind), EXIT.unknown);
    });
}

function clusterOf(named: string | undefined, { disposable }: Options): string {
  if (named !== undefined && disposable !== undefined && named !== disposable) throw new CliError(twoClusters(named, disposable));
  const cluster = disposable ?? named;
  if (cluster === undefined) throw new CliError(whichCluster('belay conformance CLUSTER'));
  return cluster;
}

function refuseUnknownIds(wanted: readonly string[]): void {
  const known = BELIEFS.map(({ id }) => id);
  const unknown = wanted.find((id) => !known.includes(id));
  if (unknown === undefined) return;
  const close = nearest(unknown, known);
  throw new CliError(unknownBelief(unknown, close));
}

async function refuseUnlessDisposable(config: Config, cluster: string, { yes, withoutTemporal }: Options): Promise<void> {
  const { whyNotDisposable } = await import('../../worker/local/conformance.ts');
  const why = await whyNotDisposable(config, cluster, withoutTemporal !== true);
  if (why !== undefined) throw new CliError(why, EXIT.refused);
  if (yes === true) return;
  if (!process.stdin.isTTY) throw new CliError(needsYes(), EXIT.refused);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(mayChange(cluster));
    if (answer.trim() !== cluster) throw new CliError(nothingChanged(), EXIT.refused);
  } finally {
    terminal.close();
  }
}
