/** `belay completion SHELL`: the script; and the hidden `belay __complete`, which it asks. Both know the commands by their own definition. */
import { Command } from 'commander';
import { inTime } from '../../client/calls/in-time.ts';
import { SHELLS, completionScript } from '../render/completion/scripts.ts';
import { candidates, type Lookups } from '../render/completion/candidates.ts';
import { eksClusterOf } from '../../domain/facts/kubeconfig/eks-cluster.ts';
import { configFileName, isConfigThere, loadConfig } from '../../worker/config/config.ts';
import { readKubeconfigs } from '../../worker/local/without-file/kubeconfigs.ts';
import { oneOf, print, withCommon } from '../shared/context.ts';

/** Whoever presses Tab waits for it. */
const TEMPORAL_LIMIT_MS = 1_000;
const COMPLETE = '__complete';

export function completionCommand(): Command {
  return withCommon(new Command('completion'))
    .description('print a completion script for a shell: source <(belay completion bash)')
    .argument('<shell>', SHELLS.join(', '), oneOf(...SHELLS))
    .action((shell: (typeof SHELLS)[number]) => print(completionScript(shell)));
}

/** `root`: gives the program for the words of a command line, of which it has to know the command that they name. Says nothing and ends well whatever happens: what goes wrong belongs on nobody's command line. */
export function completeCommand(root: (words: readonly string[]) => Promise<Command>): Command {
  return new Command(COMPLETE)
    .argument('[words...]', 'the words of the command line after belay; the last one is being typed')
    .helpOption(false)
    .action(async (words: string[]) => {
      try {
        const found = await candidates(await root(words), words, lookups(words));
        if (found.length > 0) print(found.join('\n'));
      } catch {
        // Nothing to offer.
      }
    });
}

/** Clusters of belay.yaml or, without one, of the kubeconfig, and what is open of one; empty where none of it can be read in time. */
function lookups(words: readonly string[]): Lookups {
  const named = words.findIndex((word) => word === '-c' || word === '--config');
  const file = words.find((word) => word.startsWith('--config='))?.slice('--config='.length) ?? (named < 0 ? undefined : words[named + 1]);
  const config = (): ReturnType<typeof loadConfig> => loadConfig(configFileName(file));
  const contexts = (): { context: string; cluster: string }[] =>
    readKubeconfigs(undefined, process.env).contexts.flatMap((each) => {
      const cluster = eksClusterOf(each)?.name;
      return cluster === undefined ? [] : [{ context: each.name, cluster }];
    });
  return {
    clusters: () => (isConfigThere(file) ? [...config().clusterNames] : contexts().map(({ cluster }) => cluster)),
    contexts,
    async gates(cluster) {
      const { openUpgrades } = await import('../../worker/local/open-upgrades.ts');
      const connected = openUpgrades(config());
      // Not waited for: the process ends with its answer, and Temporal may be away.
      const answer = await inTime(TEMPORAL_LIMIT_MS, connected.upgrades.status(cluster));
      if (answer?.source !== 'workflow') return [];
      return answer.status.gates.map(({ id, choices }) => ({ id, choices }));
    },
  };
}
