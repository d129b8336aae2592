/** AWS clients of one cluster: region, optional role, time-outs. Endpoints come from the SDK's own variables (AWS_ENDPOINT_URL and kin). */
import { EKSClient } from '@aws-sdk/client-eks';
import { STSClient } from '@aws-sdk/client-sts';
import type { ClusterSettings } from '../../contract/ports.ts';
import { createCredentials, roleCredentials } from './credentials.ts';
import { underEksName } from './eks-name.ts';
import { MAX_ATTEMPTS } from './pace.ts';
import { prepared } from './prepared-client.ts';
import { createReach, paced, type Reach } from './reach.ts';
import { dateReader } from './server-date.ts';
import { type Access, sessionName, sessionTags } from './session.ts';

const REQUEST_TIMEOUT_MS = 10_000;

export interface AwsClients {
  eks: EKSClient;
  sts: STSClient;
  /** The client for changes, once the caller is known to be who belay.yaml names; rejects where nothing may be changed. */
  writing(): Promise<EKSClient>;
  /** EKS's own Date of its last answer, ISO 8601; undefined before the first. */
  eksDate(): string | undefined;
  close(): void;
}

/** What of a cluster's settings its AWS clients need. */
export type AwsSettings = Pick<ClusterSettings, 'ref' | 'roleArn' | 'writeRoleArn' | 'sessionTags' | 'externalId' | 'proxy'>;

/** Whom AWS sees. `of`: a run's id, or what the session is for. */
export interface Caller {
  access: Access;
  of: string;
}

const READER: Caller = { access: 'read', of: 'read' };

/** The role that is assumed; undefined: the process's own credentials. */
export function roleFor({ roleArn, writeRoleArn }: Pick<AwsSettings, 'roleArn' | 'writeRoleArn'>, access: Access): string | undefined {
  return access === 'write' ? (writeRoleArn ?? roleArn) : roleArn;
}

export type AwsConfig = ReturnType<typeof awsClientConfig>;

/**
 * Region, credentials and time-outs that all clients of a cluster share: a session that is assumed for one serves all. Without a role the process's own
 * credentials are used. `reach`: what is known of accounts by now; default: nothing. Give it to a client by `paced`.
 */
export function awsClientConfig(settings: AwsSettings, { access, of }: Caller = READER, reach: Reach = createReach()) {
  const { name, region, account } = settings.ref;
  // Without throwOnRequestTimeout the handler only warns, and a hung request hangs for ever.
  const requestHandler = {
    connectionTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
    ...(settings.proxy === undefined ? {} : { httpAgent: { proxyEnv: settings.proxy }, httpsAgent: { proxyEnv: settings.proxy } }),
  };
  const role = roleFor(settings, access);
  const tags = settings.sessionTags === true ? { Tags: sessionTags(name, of, access) } : {};
  const externalId = settings.externalId === undefined ? {} : { ExternalId: settings.externalId };
  const session = role === undefined ? undefined : { RoleArn: role, RoleSessionName: sessionName(name, of), ...externalId, ...tags };
  const credentials =
    session === undefined ? createCredentials({ region, requestHandler }) : roleCredentials({ region, requestHandler }, session, reach);
  return { region, requestHandler, maxAttempts: MAX_ATTEMPTS, credentials, place: { account, region }, reach };
}

/** Builds the clients; nothing is sent yet. `writing`: who may change something; default: whoever reads. */
export function createAwsClients(
  settings: AwsSettings,
  caller: Caller = READER,
  writing?: () => Promise<EKSClient>,
  config: AwsConfig = awsClientConfig(settings, caller),
): AwsClients {
  const eks = prepared(new EKSClient(paced(config, 'eks')));
  const sts = prepared(new STSClient(paced(config, 'sts')));
  const { ref } = settings;
  if (ref.eksName !== undefined) {
    const named = underEksName(ref.name, ref.eksName);
    eks.middlewareStack.add(named.middleware, named.options);
  }
  const date = dateReader();
  eks.middlewareStack.add(date.middleware, date.options);
  return {
    eks,
    sts,
    writing: writing ?? (() => Promise.resolve(eks)),
    eksDate: date.last,
    close: () => {
      eks.destroy();
      sts.destroy();
    },
  };
}
