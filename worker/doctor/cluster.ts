/** Looks at one cluster: AWS credentials and account, the EKS API, the Kubernetes API. */
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import type { ClusterClients } from '../../activities/clients/clusters.ts';
import { callerIdentityEndpoint } from '../../activities/clients/aws/presigned-identity.ts';
import { describeCluster } from '../../activities/clients/aws/eks-api.ts';
import { translateError } from '../../activities/runtime/translate-errors.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { roleOptionsOf } from '../../domain/policy/permissions/use.ts';
import { examineAccess } from './access.ts';
import { type ClockReading, readStsClock, reading } from './clock.ts';
import { type Diagnosis, said } from './types.ts';
import { accessOf, policyOf, readinessOf } from '../../domain/policy/config/of-cluster.ts';

interface Findings {
  diagnoses: Diagnosis[];
  clocks: ClockReading[];
}

/** Never throws. */
export async function examineCluster(config: Config, clients: ClusterClients, name: string): Promise<Findings> {
  const diagnoses: Diagnosis[] = [];
  const clocks: (ClockReading | undefined)[] = [];
  const { cluster } = policyOf(config, name);
  const { role, writeRole } = accessOf(config, name);
  const aws = clients.aws(cluster);
  // First of all: where the clock is wrong, nothing below is answered.
  clocks.push(await stsClock(aws));
  const found = (): Findings => ({ diagnoses, clocks: clocks.filter((clock) => clock !== undefined) });
  try {
    const identity = await aws.sts.send(new GetCallerIdentityCommand({}));
    const who = identity.Arn ?? 'somebody without a name';
    if (identity.Account === cluster.account)
      diagnoses.push({ area: 'AWS', status: 'ok', message: `${name}: signed in to account ${cluster.account} as ${who}` });
    else {
      diagnoses.push({
        area: 'AWS',
        status: 'failed',
        message: `${name}: signed in to account ${identity.Account ?? '?'} as ${who}, but ${config.fileName} says ${cluster.account}`,
        fix:
          role === undefined
            ? `use credentials of ${cluster.account}, or set clusters.${name}.role`
            : `correct clusters.${name}.account or .role`,
      });
    }
  } catch (error) {
    const fix =
      role === undefined
        ? 'give this process AWS credentials (AWS_PROFILE, a role, or AWS_ACCESS_KEY_ID)'
        : `let these credentials assume ${role}`;
    diagnoses.push({ area: 'AWS', status: 'failed', message: `${name}: ${said(translateError(error, 'asking STS who we are'))}`, fix });
    return found();
  }
  try {
    const described = await describeCluster(aws, cluster);
    clocks.push(reading('EKS', aws.eksDate(), Date.now()));
    diagnoses.push({ area: 'AWS', status: 'ok', message: `${name}: EKS says ${described.version ?? '?'}, ${described.status ?? '?'}` });
  } catch (error) {
    const fix = `allow eks:DescribeCluster (deploy/ has the policy), and check that ${name} is in ${cluster.region}`;
    diagnoses.push({ area: 'AWS', status: 'failed', message: `${name}: ${said(translateError(error, 'describing the cluster'))}`, fix });
  }
  try {
    const { kubernetes } = await clients.clusterPorts(cluster);
    const version = await kubernetes.version();
    clocks.push(reading(`${name}'s API server`, version.serverDate, Date.now()));
    diagnoses.push({ area: 'Kubernetes', status: 'ok', message: `${name}: the API server answers as ${version.gitVersion}` });
    const options = roleOptionsOf(config, name, []);
    diagnoses.push(...(await examineAccess(kubernetes, name, { ...readinessOf(config, name), writeRole, options })));
  } catch (error) {
    const fix = `create an access entry for this identity (or correct clusters.${name}.kubernetes), and check that this machine reaches the endpoint`;
    diagnoses.push({
      area: 'Kubernetes',
      status: 'failed',
      message: `${name}: ${said(translateError(error, 'asking the API server'))}`,
      fix,
    });
  }
  return found();
}

/** What keeps STS from answering is told by what comes after. */
async function stsClock(aws: ReturnType<ClusterClients['aws']>): Promise<ClockReading | undefined> {
  try {
    return await readStsClock(await callerIdentityEndpoint(aws.sts));
  } catch {
    return undefined;
  }
}
