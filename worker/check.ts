/** Readiness without Temporal: gathers the evidence and judges it in this process. */
import { createAccountClients } from '../activities/clients/aws-account.ts';
import { describeCluster } from '../activities/eks/api.ts';
import { gatherEvidence } from '../activities/readiness/gather.ts';
import { type Config, policyOf, waiversOf } from '../domain/config/config.ts';
import { CATALOGUE } from '../domain/readiness/catalogue.ts';
import { reportReadiness, type ReadinessReport, selectChecks, type Selection } from '../domain/readiness/report.ts';
import type { SourceId } from '../domain/readiness/sources.ts';
import { minorsBetween, parseKubernetesVersion } from '../domain/version.ts';
import { openClients } from './clients.ts';
import { settingsOf } from './settings.ts';

export interface CheckRequest extends Selection {
  cluster: string;
  target: string;
  namespace?: string;
  /** A source was read, or could not be. */
  onRead?: (id: SourceId) => void;
}

/** Reads only. Throws ConfigError, or a failure in our words where the cluster itself cannot be read. */
export async function checkCluster(config: Config, request: CheckRequest): Promise<ReadinessReport> {
  const { cluster: ref, timing, environment, managedBy } = policyOf(config, request.cluster);
  const clients = openClients(config);
  const account = createAccountClients(settingsOf(config, request.cluster));
  try {
    const aws = clients.aws(ref);
    const { version = '' } = await describeCluster(aws, ref);
    const [from, target] = [parseKubernetesVersion(version), parseKubernetesVersion(request.target)];
    const checks = selectChecks(CATALOGUE, request);
    const { kubernetes } = await clients.clusterPorts(ref);
    const evidence = await gatherEvidence({
      aws,
      account,
      kubernetes,
      ref,
      timing,
      target,
      checks,
      ...(request.onRead === undefined ? {} : { onRead: request.onRead }),
    });
    const context = {
      from,
      target,
      hops: minorsBetween(from, target).slice(1),
      now: aws.eksDate() ?? new Date().toISOString(),
      environment,
      managedBy,
    };
    return reportReadiness({
      cluster: ref,
      checks,
      evidence,
      context,
      ...(request.namespace === undefined ? {} : { namespace: request.namespace }),
      waivers: waiversOf(config, request.cluster),
    });
  } finally {
    account.close();
    await clients.close();
  }
}
