/**
 * AWS clients of what lies around a cluster: what checks and plans ask there. Each is loaded when it is first asked for: EC2's alone takes longer to
 * load than a small cluster to check.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AutoScaling } from '@aws-sdk/client-auto-scaling';
import type { EC2 } from '@aws-sdk/client-ec2';
import type { IAM } from '@aws-sdk/client-iam';
import type { KMS } from '@aws-sdk/client-kms';
import type { ServiceQuotas } from '@aws-sdk/client-service-quotas';
import type { SSM } from '@aws-sdk/client-ssm';
import type { ClusterSettings } from '../ports.ts';
import { awsClientConfig } from './aws.ts';
import { scanning } from './scan-xml.ts';

/** Long enough for a handshake with a server near by. */
const OTHERS_FIRST_MS = 30;

export interface AccountClients {
  autoScaling: () => Promise<AutoScaling>;
  ec2: () => Promise<EC2>;
  iam: () => Promise<IAM>;
  kms: () => Promise<KMS>;
  quotas: () => Promise<ServiceQuotas>;
  ssm: () => Promise<SSM>;
  close(): void;
}

/** Loading holds up the whole process: what was asked of others goes out first, so that they are at work meanwhile. */
async function afterOthers<T>(open: () => Promise<T>): Promise<T> {
  await sleep(OTHERS_FIRST_MS);
  return await open();
}

/** Nothing is sent until a client is used. */
export function createAccountClients(settings: Pick<ClusterSettings, 'ref' | 'roleArn'>): AccountClients {
  const config = awsClientConfig(settings);
  const opened: { destroy(): void }[] = [];
  const lazily = <C extends { destroy(): void }>(open: () => Promise<C>): (() => Promise<C>) => {
    let client: Promise<C> | undefined;
    return () => {
      client ??= afterOthers(open).then((loaded) => {
        opened.push(loaded);
        return loaded;
      });
      return client;
    };
  };
  return {
    autoScaling: lazily(async () => new (await import('@aws-sdk/client-auto-scaling')).AutoScaling(config)),
    ec2: lazily(async () => scanning(new (await import('@aws-sdk/client-ec2')).EC2(config))),
    iam: lazily(async () => new (await import('@aws-sdk/client-iam')).IAM(config)),
    kms: lazily(async () => new (await import('@aws-sdk/client-kms')).KMS(config)),
    quotas: lazily(async () => new (await import('@aws-sdk/client-service-quotas')).ServiceQuotas(config)),
    ssm: lazily(async () => new (await import('@aws-sdk/client-ssm')).SSM(config)),
    close: () => opened.forEach((client) => client.destroy()),
  };
}
