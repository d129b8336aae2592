/** What lies around the cluster in its account, as a snapshot knows it. */
import type { AccountClients } from '../../../clients/aws/account-clients.ts';
import type { SnapshotService } from '../../../../domain/facts/snapshot/format.ts';
import { notHeld } from './failures.ts';
import type { Answer } from './calls.ts';

export function replayedAccount(answer: Answer): AccountClients {
  const of =
    <Client extends object>(service: SnapshotService) =>
    async (): Promise<Client> =>
      operationsOf<Client>(service, answer);
  return {
    autoScaling: of('autoscaling'),
    cloudWatch: () => Promise.reject(notHeld('metrics of CloudWatch')),
    ec2: of('ec2'),
    iam: of('iam'),
    kms: of('kms'),
    quotas: of('service-quotas'),
    ssm: of('ssm'),
    close: () => {},
  };
}

/** describeSubnets(input) is the answer to DescribeSubnets. */
function operationsOf<Client extends object>(service: SnapshotService, answer: Answer): Client {
  const client = new Proxy(Object.create(null), {
    get: (_target, name) => {
      // Whoever awaits the client asks whether it is a promise.
      if (typeof name !== 'string' || name === 'then') return undefined;
      if (name === 'destroy') return () => {};
      return async (input: unknown) => answer(service, `${name.charAt(0).toUpperCase()}${name.slice(1)}`, input);
    },
  });
  return client as Client;
}
