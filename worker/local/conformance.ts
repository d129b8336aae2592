/** Conformance without Temporal: the checks of the beliefs against one cluster of belay.yaml, by the usual clients. */
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { awsClientConfig } from '../../activities/clients/aws/clients.ts';
import { openGround } from '../../activities/observe/conformance/ground.ts';
import { createRecorder } from '../../activities/observe/conformance/recording.ts';
import { tryBeliefs } from '../../activities/observe/conformance/run.ts';
import type { Tried } from '../../domain/tables/beliefs/verdict.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { field, messageOf } from '../../domain/core/unknown.ts';
import { settingsOf } from '../config/settings.ts';
import { openUpgrades } from './open-upgrades.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { defined } from '../../domain/core/defined.ts';

/** Of the freeze's guard, which looks every minute. */
const HELD_LOOKS = 3;

export interface ConformanceRequest {
  cluster: string;
  only?: readonly string[];
  /** The cluster was made for throwing away: what changes something is tried as well. */
  disposable: boolean;
  /** Also make a recording. */
  record: boolean;
  onTried?: (tried: Tried) => void;
}

export interface ConformanceResult {
  cluster: string;
  tried: Tried[];
  /** JSON, redacted. */
  recording?: string;
}

/** Throws ConfigError for an unknown cluster; what the outside does is in the result. */
export async function runConformance(config: Config, request: ConformanceRequest): Promise<ConformanceResult> {
  const { cluster, only, disposable, record, onTried } = request;
  const { pollMinMs, addOnTimeoutMs, freezeCheckMs } = policyOf(config, cluster).timing;
  const recorder = record ? createRecorder({ recording: 'belay conformance', at: new Date().toISOString() }) : undefined;
  const ground = openGround({
    settings: settingsOf(config, cluster),
    access: disposable ? 'write' : 'read',
    pollMs: pollMinMs,
    limitMs: addOnTimeoutMs,
    // Karpenter looks every ten seconds.
    holdMs: HELD_LOOKS * freezeCheckMs,
    ...defined({ recorder }),
  });
  try {
    const tried = await tryBeliefs(ground, {
      disposable,
      ...defined({ only, onTried }),
    });
    return { cluster, tried, ...(recorder === undefined ? {} : { recording: recorder.text() }) };
  } finally {
    await ground.close();
  }
}

/** Why this cluster must not be changed for a trial; undefined: it may. `askTemporal`: whether an upgrade of it is open. */
export async function whyNotDisposable(config: Config, cluster: string, askTemporal: boolean): Promise<string | undefined> {
  const { environment, cluster: ref } = policyOf(config, cluster);
  if (/^prod/i.test(environment))
    return `${cluster} is in environment ${environment}: a cluster for throwing away is in another one (clusters.${cluster}.environment in ${config.fileName}).`;
  const account = await callersAccount(config, cluster);
  if (account !== ref.account)
    return `These AWS credentials are of account ${account ?? '?'}, and ${config.fileName} places ${cluster} in ${ref.account}.`;
  return askTemporal ? await whyRunOpen(config, cluster) : undefined;
}

async function callersAccount(config: Config, cluster: string): Promise<string | undefined> {
  const sts = new STSClient(awsClientConfig(settingsOf(config, cluster), { access: 'write', of: 'conformance' }));
  try {
    return (await sts.send(new GetCallerIdentityCommand({}))).Account;
  } finally {
    sts.destroy();
  }
}

async function whyRunOpen(config: Config, cluster: string): Promise<string | undefined> {
  const connected = openUpgrades(config);
  try {
    const runs = await connected.upgrades.list();
    const { account, region, name } = policyOf(config, cluster).cluster;
    const open = runs.find(({ workflowId }) => workflowId.endsWith(`/${account}/${region}/${name}`));
    return open === undefined ? undefined : `An upgrade of ${cluster} is open; end it first.`;
  } catch (error) {
    if (field(error, 'code') === 'not-running') return undefined;
    return `Whether an upgrade of ${cluster} is open cannot be seen (${messageOf(error)}); where no run can be, say --without-temporal.`;
  } finally {
    await connected.close();
  }
}
