/** What an account says of its clusters, for who has no belay.yaml: by one set of credentials in one region. */
import { type Cluster, DescribeClusterCommand, paginateListClusters } from '@aws-sdk/client-eks';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type AwsClients, createAwsClients } from '../../../activities/clients/aws/clients.ts';
import { CREDENTIAL_ERRORS, SESSION_ERRORS } from '../../../activities/runtime/error-tables.ts';
import { translateError } from '../../../activities/runtime/translate-errors.ts';
import { defined } from '../../../domain/core/defined.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import { proxyOf } from '../../config/proxy.ts';
import { redact } from '../../config/redact.ts';
import { ClusterProblemError } from './problems.ts';

/** Whose eyes AWS is seen with. */
export interface SignIn {
  /** Of the shared AWS files. */
  profile?: string;
  /** Role to assume. */
  role?: string;
}

/** From now on this process signs by the profile: the SDK's clients read it from the environment. */
export function useProfile(profile: string | undefined, env: NodeJS.ProcessEnv): void {
  if (profile !== undefined) env['AWS_PROFILE'] = profile;
}

/**
 * A profile that a context names counts as kubectl would have it, which hands AWS_PROFILE to the AWS CLI: credentials and a profile of the environment go
 * before. https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-quickstart.html#cli-configure-quickstart-precedence
 */
export function useProfileOfContext(profile: string | undefined, env: NodeJS.ProcessEnv): void {
  if (!env['AWS_PROFILE'] && !env['AWS_ACCESS_KEY_ID']) useProfile(profile, env);
}

/** AWS_REGION, AWS_DEFAULT_REGION as the AWS CLI reads it, then the profile's; undefined: none says. */
export async function usualRegion(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const said = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  if (said) return said;
  const sts = new STSClient({});
  try {
    return await sts.config.region();
  } catch {
    return undefined;
  } finally {
    sts.destroy();
  }
}

export interface Account {
  describe(name: string): Promise<Cluster | undefined>;
  /** In order. */
  clusterNames(): Promise<string[]>;
  /** Account id and ARN of who this is. */
  caller(): Promise<{ account: string; arn: string }>;
}

/** Runs `work` with clients of its own. What it throws about credentials comes out as a ClusterProblemError, all else as a failure in our words. */
export async function inRegion<T>(region: string, { role }: SignIn, work: (account: Account) => Promise<T>): Promise<T> {
  const env = process.env;
  const ref = { name: '', region, account: '' };
  const aws = createAwsClients({ ref, ...defined({ roleArn: role, proxy: proxyOf(env) }) });
  try {
    return await work(accountOf(aws));
  } catch (error) {
    if (error instanceof ClusterProblemError) throw error;
    throw credentialProblem(error, env) ?? translateError(error, `looking for clusters in ${region}`);
  } finally {
    aws.close();
  }
}

function accountOf({ eks, sts }: AwsClients): Account {
  return {
    async describe(name) {
      try {
        return (await eks.send(new DescribeClusterCommand({ name }))).cluster;
      } catch (error) {
        if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
        throw error;
      }
    },
    async clusterNames() {
      const names: string[] = [];
      for await (const page of paginateListClusters({ client: eks }, {})) names.push(...(page.clusters ?? []));
      return names.toSorted();
    },
    async caller() {
      const { Account: account = '', Arn: arn = '' } = await sts.send(new GetCallerIdentityCommand({}));
      return { account, arn };
    },
  };
}

/** undefined: it is about something else. */
export function credentialProblem(error: unknown, env: NodeJS.ProcessEnv): ClusterProblemError | undefined {
  if (!(error instanceof Error)) return undefined;
  // A worker waits for an endpoint that was there a moment ago; whoever types a command signs in.
  if (error.name === 'CredentialsAwayError') return credentialProblem(error.cause, env);
  const profile = env['AWS_PROFILE'] || undefined;
  // Cut off last: half a secret looks like none.
  const why = redact(messageOf(error)).replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, 200);
  const problem = (found: ClusterProblemError['problem']) => new ClusterProblemError(found, { cause: error });
  if (SESSION_ERRORS.has(error.name)) return problem({ kind: 'session-ended', why, ...defined({ profile }) });
  if (!CREDENTIAL_ERRORS.has(error.name)) return undefined;
  // What the SDK says of a session that has ended, is invalid, or is not there: "To refresh this SSO session run aws sso login with the corresponding profile."
  if (/aws sso login|Session token not found or invalid/i.test(why)) return problem({ kind: 'sso', profile: profile ?? 'default' });
  return problem({ kind: 'no-credentials', why, ...defined({ profile }) });
}
