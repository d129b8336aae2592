/** Which cluster a call means: by belay.yaml where there is one, else by its arguments or the kubeconfig, as the commands do. */
import { REGION } from '../../domain/core/cluster-ref.ts';
import { defined } from '../../domain/core/defined.ts';
import { nearest } from '../../domain/policy/config/base/nearest.ts';
import { text } from '../../domain/policy/config/base/fields.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { defaultTarget, policyOf } from '../../domain/policy/config/of-cluster.ts';
import type { FleetReading } from '../../domain/run/fleet-view/reading.ts';
import { ClusterProblemError } from '../../worker/local/without-file/problems.ts';
import {
  contextOrPlace,
  defaultsUsed,
  fileSaysWhere,
  nameACluster,
  needsFile,
  nextOffered,
  noneOfAccount,
  problemOfTool,
} from '../messages/mcp.ts';
import { clusterProblem } from '../messages/without-file.ts';
import { CliError } from '../shared/errors.ts';
import type { Answer } from './answer.ts';
import { createTurns } from './turns.ts';

/** What a call may use. */
export interface Call {
  /** What belay.yaml says now; undefined: there is none. */
  config: Config | undefined;
  /** Aborted: the client does not want the answer any more. */
  signal: AbortSignal;
  /** `of`: how many steps there are, where that is known. */
  onProgress: (message: string, done: number, of?: number) => void;
}

/** Arguments of the tools that need no belay.yaml. */
export const PLACE = {
  region: text('write an AWS region such as eu-west-1', REGION)
    .describe('Without belay.yaml: AWS region; default: AWS_REGION, else that of the AWS profile')
    .optional(),
  profile: text('write the name of an AWS profile').describe('Without belay.yaml: profile of the shared AWS files').optional(),
  context: text('write the name of a context')
    .describe('Without belay.yaml: context of the kubeconfig; default: the current one')
    .optional(),
};

interface Place {
  region?: string | undefined;
  profile?: string | undefined;
  context?: string | undefined;
}

export interface OneCluster {
  config: Config;
  cluster: string;
  target: string;
}

/** Signing in by a profile is of the whole process: one call after another, each of which leaves it as it was. */
const inTurn = createTurns(1);

/** belay.yaml. Throws a CliError that says why `tool` needs one. */
export function configOf({ config }: Call, tool: 'status' | 'record'): Config {
  if (config === undefined) throw new CliError(needsFile(tool));
  return config;
}

/** Runs `work` with the cluster, and the version asked for, of belay.yaml, or the next that EKS offers. Throws a CliError that names the fix. */
export async function inCluster(
  { config }: Call,
  { cluster, target, ...place }: Place & { cluster?: string | undefined; target?: string | undefined },
  work: (found: OneCluster) => Promise<Answer>,
): Promise<Answer> {
  if (config !== undefined) {
    refuseBesideFile(config, place);
    if (cluster === undefined) throw new CliError(nameACluster(config.clusterNames, config.fileName));
    policyOf(config, cluster);
    const wanted = target ?? defaultTarget(config, cluster);
    const to = wanted ?? (await nextOf(config, cluster));
    return saying(wanted === undefined ? [nextOffered(to)] : [], await work({ config, cluster, target: to }));
  }
  refuseTwoPlaces(cluster === undefined ? place : { ...place, cluster });
  return await alone(async () => {
    const { findCluster } = await import('../../worker/local/without-file/find-cluster.ts');
    const found = await findCluster(defined({ name: cluster, ...place }));
    const to = target ?? (await nextOf(found.config, found.cluster, found.version));
    const answer = await work({ config: found.config, cluster: found.cluster, target: to });
    return saying([...(target === undefined ? [nextOffered(to)] : []), defaultsUsed(found)], answer);
  });
}

/** Runs `work` with the clusters of belay.yaml, or of the account without one; `read` reads them. */
export async function inFleet(
  { config }: Call,
  { clusters, ...place }: Place & { clusters?: readonly string[] | undefined },
  work: (fleet: { config: Config; read: () => Promise<FleetReading> }) => Promise<Answer>,
): Promise<Answer> {
  if (config !== undefined) {
    refuseBesideFile(config, place);
    for (const name of clusters ?? []) policyOf(config, name);
    const { readFleetDirectly } = await import('../../worker/local/open-reader.ts');
    return await work({ config, read: async () => await readFleetDirectly(config, clusters ?? config.clusterNames) });
  }
  refuseTwoPlaces(place);
  return await alone(async () => {
    const [{ findFleet }, { readAccount }] = await Promise.all([
      import('../../worker/local/without-file/find-fleet.ts'),
      import('../../worker/local/without-file/read-account.ts'),
    ]);
    const { region, ...signIn } = place;
    const found = await findFleet(defined({ ...signIn, regions: region === undefined ? undefined : [region] }));
    const names = found.config.clusterNames;
    const wrong = clusters?.find((name) => !names.includes(name));
    if (wrong !== undefined) throw new CliError(noneOfAccount(wrong, nearest(wrong, names), names));
    return await work({ config: found.config, read: async () => await readAccount(found, clusters ?? names) });
  });
}

/** A profile of the process's own goes before none: what a call had set is gone after it. */
async function alone(work: () => Promise<Answer>): Promise<Answer> {
  return await inTurn(async () => {
    const { AWS_PROFILE: before } = process.env;
    try {
      return await work();
    } catch (error) {
      throw inWords(error);
    } finally {
      if (before === undefined) delete process.env['AWS_PROFILE'];
      else process.env['AWS_PROFILE'] = before;
    }
  });
}

async function nextOf(config: Config, cluster: string, version?: string): Promise<string> {
  const { nextTarget } = await import('../../worker/local/next-target.ts');
  try {
    return await nextTarget(config, cluster, version);
  } catch (error) {
    throw inWords(error);
  }
}

const inWords = (error: unknown): unknown =>
  error instanceof ClusterProblemError ? new CliError(problemOfTool(clusterProblem(error.problem))) : error;

const saying = (lines: readonly string[], { text: body, data }: Answer): Answer => ({ text: [...lines, body].join('\n'), data });

function refuseBesideFile({ fileName }: Config, place: Place): void {
  const given = (['region', 'profile', 'context'] as const).find((key) => place[key] !== undefined);
  if (given !== undefined) throw new CliError(fileSaysWhere(given, fileName));
}

function refuseTwoPlaces(place: Place & { cluster?: string }): void {
  if (place.context === undefined) return;
  const other = (['cluster', 'region'] as const).find((key) => place[key] !== undefined);
  if (other !== undefined) throw new CliError(contextOrPlace(other));
}
