/** AWS clients of what lies around a cluster: what checks and plans ask there. */
import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import type { ClusterSettings } from '../ports.ts';
import { awsClientConfig } from './aws.ts';

export interface AccountClients {
  autoScaling: AutoScalingClient;
  ec2: EC2Client;
  iam: IAMClient;
  kms: KMSClient;
  quotas: ServiceQuotasClient;
  close(): void;
}

/** Nothing is sent until a client is used. */
export function createAccountClients(settings: Pick<ClusterSettings, 'ref' | 'roleArn'>): AccountClients {
  const config = awsClientConfig(settings);
  const clients = {
    autoScaling: new AutoScalingClient(config),
    ec2: new EC2Client(config),
    iam: new IAMClient(config),
    kms: new KMSClient(config),
    quotas: new ServiceQuotasClient(config),
  };
  return { ...clients, close: () => Object.values(clients).forEach((client) => client.destroy()) };
}
