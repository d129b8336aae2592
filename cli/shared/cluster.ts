/** The cluster of a command that only reads: by belay.yaml, a kubeconfig, its name, or chosen from a list. */
import { type Command, InvalidArgumentError } from 'commander';
import { REGION, ROLE_ARN } from '../../domain/core/cluster-ref.ts';
import { defined } from '../../domain/core/defined.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { defaultTarget } from '../../domain/policy/config/of-cluster.ts';
import { configFileName, isConfigThere } from '../../worker/config/config.ts';
import { ClusterProblemError } from '../../worker/local/without-file/problems.ts';
import { clusterFound, clusterProblem, nextVersion, withoutFile, writeARegion, writeARole } from '../messages/without-file.ts';
import { clusterChoice, type ClusterChoice, type ClusterFlags } from './cluster-choice.ts';
import { type CommonOptions, readConfig, say } from './context.ts';
import { askWhich } from './ask-which.ts';
import { CliError } from './errors.ts';
import { namedCluster } from './snapshot.ts';

export type ClusterOptions = ClusterFlags;

export interface Chosen {
  config: Config;
  cluster: string;
  /** belay.yaml names it. */
  isFromFile: boolean;
  /** `asked`, else what belay.yaml says, else the next minor that EKS offers. */
  target: (asked: string | undefined) => Promise<string>;
  /** At the end: what a belay.yaml would add. */
  end: () => void;
}

/** Options of commands that need no belay.yaml. */
export function withCluster(command: Command): Command {
  return withSignIn(
    command
      .option('--cluster <name>', 'without belay.yaml: a cluster, by its name in EKS')
      .option('--region <region>', 'with --cluster: its region (default: AWS_REGION, else that of the AWS profile)', parseRegion),
  );
}

/** How AWS is signed in to, and the kubeconfig, without belay.yaml. */
export function withSignIn(command: Command): Command {
  return command
    .option('--context <name>', 'without belay.yaml: a context of your kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', 'the kubeconfig (default: KUBECONFIG or ~/.kube/config)')
    .option('--profile <name>', 'without belay.yaml: AWS profile (default: AWS_PROFILE, else that of the context)')
    .option('--role <arn>', 'without belay.yaml: IAM role to assume', parseRole);
}

function parseRegion(value: string): string {
  if (!REGION.test(value)) throw new InvalidArgumentError(writeARegion());
  return value;
}

function parseRole(value: string): string {
  if (!ROLE_ARN.test(value)) throw new InvalidArgumentError(writeARole());
  return value;
}

/** By the arguments alone. `file` counts where it is named, or lies there. */
export function choiceOf(named: string | undefined, options: ClusterOptions & CommonOptions): ClusterChoice {
  const { cluster, context, kubeconfig, region, profile, role, config } = options;
  return clusterChoice({
    ...defined({ named, cluster, context, kubeconfig, region, profile, role, config }),
    ...(isConfigThere(undefined) ? { file: configFileName(undefined) } : {}),
  });
}

/**
 * `usage`: the command with a cluster. `quiet`: says nothing of its own beside the errors. Throws a CliError where there is no such cluster, or it cannot be
 * read.
 */
export async function chosenCluster(
  named: string | undefined,
  options: ClusterOptions & CommonOptions,
  { usage, quiet = false }: { usage: string; quiet?: boolean },
): Promise<Chosen> {
  const choice = choiceOf(named, options);
  const tell = (text: string): void => void (quiet || say(text));
  if (choice.from === 'file') {
    const cluster = namedCluster(choice.name, usage);
    const config = readConfig(options, { quiet });
    return {
      config,
      cluster,
      isFromFile: true,
      target: async (asked) => asked ?? defaultTarget(config, cluster) ?? (await nextOf({ config, cluster }, tell)),
      end: () => {},
    };
  }
  const { findCluster } = await import('../../worker/local/without-file/find-cluster.ts');
  const { context, kubeconfig, region, profile, role } = options;
  const choose =
    process.stdin.isTTY && process.stderr.isTTY
      ? (where: string, names: readonly string[]) => askWhich(where, names, { input: process.stdin, output: process.stderr })
      : undefined;
  const found = await inWords(findCluster(defined({ name: choice.name, context, kubeconfig, region, profile, role, choose })));
  tell(clusterFound(found));
  return {
    config: found.config,
    cluster: found.cluster,
    isFromFile: false,
    target: async (asked) => asked ?? (await nextOf(found, tell)),
    end: () => tell(withoutFile()),
  };
}

async function nextOf(
  { config, cluster, version }: { config: Config; cluster: string; version?: string },
  tell: (text: string) => void,
): Promise<string> {
  const { nextTarget } = await import('../../worker/local/next-target.ts');
  const target = await inWords(nextTarget(config, cluster, version));
  tell(nextVersion(target));
  return target;
}

/** With what is wrong as the command says it. */
export async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ClusterProblemError ? new CliError(clusterProblem(error.problem)) : error;
  }
}
