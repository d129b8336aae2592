/** Looks at the accounts of belay.yaml: whether each role that is named can be assumed. Each is asked for once, however many clusters it is for. */
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import { someAtOnce } from '../../activities/runtime/in-batches.ts';
import { failureType, translateError } from '../../activities/runtime/translate-errors.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { accessOf, policyOf } from '../../domain/policy/config/of-cluster.ts';
import { count } from '../../domain/core/text.ts';
import { type Diagnosis, said } from './types.ts';

const area = 'AWS';

/** One way into an account. */
interface Way {
  account: string;
  /** Absent: by the process's own credentials. */
  role?: string;
  clusters: string[];
}

/** Who AWS says we are where a cluster is; rejects as AWS does. */
export type AskWho = (cluster: string) => Promise<{ account?: string; arn?: string }>;

/** Which clusters: those that this process reaches, and those of other networks, whose workers have credentials of their own. */
interface Named {
  here: readonly string[];
  elsewhere: readonly string[];
}

/** Never throws. Five roles at once: AssumeRole counts against one account's rate limit. */
export async function examineAccounts(config: Config, { here, elsewhere }: Named, ask: AskWho): Promise<Diagnosis[]> {
  const names = [...here, ...elsewhere];
  const ways = waysOf(config, names).filter(({ role, clusters }) => role !== undefined || clusters.some((name) => here.includes(name)));
  const found = await someAtOnce(ways, async (way) => {
    const diagnosis = await examineWay(way, ask, config.fileName);
    // Another identity asks there: that this one may not says nothing.
    const counts = diagnosis.status === 'ok' || way.clusters.some((name) => here.includes(name));
    return counts ? diagnosis : { ...diagnosis, status: 'unknown' as const };
  });
  return [...found, ...untriedOf(config, names)];
}

/** By the clients of the clusters. */
export const askBy =
  (config: Config, clients: Pick<ClusterClients, 'aws'>): AskWho =>
  async (name) => {
    const { Account: account, Arn: arn } = await clients.aws(policyOf(config, name).cluster).sts.send(new GetCallerIdentityCommand({}));
    return { ...(account === undefined ? {} : { account }), ...(arn === undefined ? {} : { arn }) };
  };

/** In the order of belay.yaml. What makes another AssumeRole of it makes another way. */
function waysOf(config: Config, names: readonly string[]): Way[] {
  const ways = new Map<string, Way>();
  for (const name of names) {
    const { account, role, externalId, sessionTags } = accessOf(config, name);
    const key = JSON.stringify([account, role, ...(role === undefined ? [] : [externalId, sessionTags])]);
    const way = ways.get(key) ?? { account, ...(role === undefined ? {} : { role }), clusters: [] };
    way.clusters.push(name);
    ways.set(key, way);
  }
  return [...ways.values()];
}

async function examineWay({ account, role, clusters }: Way, ask: AskWho, fileName: string): Promise<Diagnosis> {
  const [first = ''] = clusters;
  const by = role === undefined ? "this process's own credentials" : role;
  const needs = `${count(clusters.length, 'cluster')} (${shortList(clusters)})`;
  try {
    const who = await ask(first);
    if (who.account !== account) {
      const message = `account ${account}: ${by} ${role === undefined ? 'lead' : 'leads'} to account ${who.account ?? '?'}, and ${fileName} places ${needs} in ${account}`;
      const fix = role === undefined ? `name a role of ${account} for them` : 'correct account or role of these clusters';
      return { area, status: 'failed', message, fix };
    }
    const message = role === undefined ? `${by} are of it` : `${role} can be assumed`;
    return { area, status: 'ok', message: `account ${account}: ${message}, for ${needs}` };
  } catch (error) {
    const failure = translateError(error, role === undefined ? 'asking STS who we are' : `assuming ${role}`);
    const denied = failureType(failure) === 'AccessDenied';
    const message = `account ${account}: ${said(failure)}; needed by ${needs}`;
    if (denied) return { area, status: 'failed', message, fix: `name this process's identity in the trust policy of ${by}` };
    return { area, status: 'unknown', message, fix: 'run it again once STS answers and this process has credentials' };
  }
}

/** A role for changes is for runs alone, after their gates (deploy/README.md): untried is unknown, not assumable. */
function untriedOf(config: Config, names: readonly string[]): Diagnosis[] {
  const roles = new Map<string, string[]>();
  for (const name of names) {
    const { writeRole } = accessOf(config, name);
    if (writeRole !== undefined) roles.set(writeRole, [...(roles.get(writeRole) ?? []), name]);
  }
  return [...roles].map(([role, clusters]) => {
    const name = role.split('/').at(-1) ?? role;
    const message = `account ${role.split(':')[4] ?? '?'}: ${role} is not tried before a gate is approved; needed by ${count(clusters.length, 'cluster')} (${shortList(clusters)})`;
    return { area, status: 'unknown', message, fix: `see who may assume it with "aws iam get-role --role-name ${name}"` };
  });
}

/** "prod-a, prod-b and 3 more" */
function shortList(names: readonly string[]): string {
  const [shown, rest] = names.length > 3 ? [names.slice(0, 2), names.length - 2] : [names, 0];
  return `${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}
