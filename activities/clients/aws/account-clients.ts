/**
 * AWS clients of what lies around a cluster: what checks and plans ask there. Each is loaded when it is first asked for: EC2's alone takes longer to
 * load than a small cluster to check.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AutoScaling } from './account/auto-scaling.ts';
import type { CloudWatch } from './account/cloudwatch.ts';
import type { Ec2 } from './account/ec2.ts';
import type { Iam } from './account/iam.ts';
import type { Kms } from './account/kms.ts';
import type { Quotas } from './account/quotas.ts';
import type { Ssm } from './account/ssm.ts';
import type { AwsConfig } from './clients.ts';
import { paced } from './reach.ts';

/** Long enough for a handshake with a server near by. */
const OTHERS_FIRST_MS = 30;

export interface AccountClients {
  autoScaling: () => Promise<AutoScaling>;
  cloudWatch: () => Promise<CloudWatch>;
  ec2: () => Promise<Ec2>;
  iam: () => Promise<Iam>;
  kms: () => Promise<Kms>;
  quotas: () => Promise<Quotas>;
  ssm: () => Promise<Ssm>;
  close(): void;
}

/** Loading holds up the whole process: what was asked of others goes out first, so that they are at work meanwhile. */
async function afterOthers<T>(open: () => Promise<T>): Promise<T> {
  await sleep(OTHERS_FIRST_MS);
  return await open();
}

const atOnce = <T>(open: () => Promise<T>): Promise<T> => open();

/** Nothing is sent until a client is used. `writing`: the configuration for changes; rejects where nothing may be changed. */
export function createAccountClients(config: AwsConfig, writing: () => Promise<AwsConfig>): AccountClients {
  const opened: { destroy(): void }[] = [];
  const reading = (service: string) => paced(config, service);
  const changing = (service: string) => async () => paced(await writing(), service);
  const lazily = <C extends { destroy(): void }>(open: () => Promise<C>, start: typeof afterOthers = afterOthers): (() => Promise<C>) => {
    let client: Promise<C> | undefined;
    return () => {
      client ??= start(open).then((loaded) => {
        opened.push(loaded);
        return loaded;
      });
      return client;
    };
  };
  return {
    autoScaling: lazily(async () =>
      (await import('./account/auto-scaling.ts')).openAutoScaling(reading('autoscaling'), changing('autoscaling')),
    ),
    cloudWatch: lazily(async () => (await import('./account/cloudwatch.ts')).openCloudWatch(reading('cloudwatch'))),
    // Volumes, and instances where they are counted, come in long pages, one after the other: nothing else of a check takes as long.
    ec2: lazily(async () => (await import('./account/ec2.ts')).openEc2(reading('ec2'), changing('ec2')), atOnce),
    iam: lazily(async () => (await import('./account/iam.ts')).openIam(reading('iam'))),
    kms: lazily(async () => (await import('./account/kms.ts')).openKms(reading('kms'))),
    quotas: lazily(async () => (await import('./account/quotas.ts')).openQuotas(reading('servicequotas'))),
    ssm: lazily(async () => (await import('./account/ssm.ts')).openSsm(reading('ssm'))),
    close: () => opened.forEach((client) => client.destroy()),
  };
}
