/** Readiness without Temporal: gathers the evidence and judges it in this process. */
import { describeCluster } from '../activities/eks/api.ts';
import { judgeReadiness } from '../activities/readiness/judge.ts';
import { type Config, policyOf, readinessOf } from '../domain/config/config.ts';
import { CATALOGUE } from '../domain/readiness/catalogue.ts';
import { type ReadinessReport, selectChecks, type Selection } from '../domain/readiness/report.ts';
import type { SourceId } from '../domain/readiness/sources.ts';
import { parseKubernetesVersion } from '../domain/version.ts';
import { openClients } from './clients.ts';

export interface CheckRequest extends Selection {
  cluster: string;
  target: string;
  namespace?: string;
  /** Reads also what needs an optional role, whatever belay.yaml says. */
  optional?: boolean;
  /** A source was read, or could not be. */
  onRead?: (id: SourceId) => void;
}

/** Reads only. Throws ConfigError, or a failure in our words where the cluster itself cannot be read. */
export async function checkCluster(config: Config, request: CheckRequest): Promise<ReadinessReport> {
  const policy = policyOf(config, request.cluster);
  const settings = readinessOf(config, request.cluster);
  const clients = openClients(config);
  try {
    const { version = '' } = await describeCluster(clients.aws(policy.cluster), policy.cluster);
    return await judgeReadiness(clients, {
      policy,
      settings: { ...settings, optional: request.optional ?? settings.optional },
      from: parseKubernetesVersion(version),
      target: parseKubernetesVersion(request.target),
      checks: selectChecks(CATALOGUE, request),
      weather: 'unknown',
      ...(request.namespace === undefined ? {} : { namespace: request.namespace }),
      ...(request.onRead === undefined ? {} : { onRead: request.onRead }),
    });
  } finally {
    await clients.close();
  }
}
