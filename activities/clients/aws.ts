/** AWS clients of one cluster: region, optional role, time-outs. Endpoints come from the SDK's own variables (AWS_ENDPOINT_URL and kin). */
import { EKSClient } from '@aws-sdk/client-eks';
import { STSClient } from '@aws-sdk/client-sts';
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { field } from '../../domain/unknown.ts';
import type { ClusterSettings } from '../ports.ts';

const REQUEST_TIMEOUT_MS = 10_000;

export interface AwsClients {
  eks: EKSClient;
  sts: STSClient;
  /** EKS's own Date of its last answer, ISO 8601; undefined before the first. */
  eksDate(): string | undefined;
  close(): void;
}

/** Region, credentials and time-outs that all clients of a cluster share. Without `roleArn` the process's own credentials are used. */
export function awsClientConfig(settings: Pick<ClusterSettings, 'ref' | 'roleArn'>) {
  const region = settings.ref.region;
  // Without throwOnRequestTimeout the handler only warns, and a hung request hangs for ever.
  const requestHandler = {
    connectionTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  };
  const credentials =
    settings.roleArn === undefined
      ? undefined
      : fromTemporaryCredentials({
          params: { RoleArn: settings.roleArn, RoleSessionName: sessionName(settings.ref.name) },
          clientConfig: { region, requestHandler },
        });
  return { region, requestHandler, maxAttempts: 3, ...(credentials === undefined ? {} : { credentials }) };
}

/** Builds the clients; nothing is sent yet. */
export function createAwsClients(settings: Pick<ClusterSettings, 'ref' | 'roleArn'>): AwsClients {
  const config = awsClientConfig(settings);
  const eks = new EKSClient(config);
  const sts = new STSClient(config);
  const eksDate = watchDate(eks);
  return {
    eks,
    sts,
    eksDate,
    close: () => {
      eks.destroy();
      sts.destroy();
    },
  };
}

/** Reads the Date header of every answer, errors included. */
function watchDate(eks: EKSClient): () => string | undefined {
  let last: string | undefined;
  eks.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      last = isoDate(field(field(result.response, 'headers'), 'date')) ?? last;
      return result;
    },
    // Innermost: sees the raw answer before it is parsed.
    { step: 'deserialize', priority: 'low', name: 'belayServerDate' },
  );
  return () => last;
}

/** ISO 8601 of an HTTP date; undefined for anything else. */
export function isoDate(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** Letters that a session name may have, at most 64 of them. */
function sessionName(cluster: string): string {
  return `belay-${cluster}`.replace(/[^\w+=,.@-]/g, '-').slice(0, 64);
}
