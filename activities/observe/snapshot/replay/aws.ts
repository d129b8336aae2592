/** EKS and STS as a snapshot knows them: the SDK's own clients, so that paginators and commands work, of which nothing is ever sent. */
import { EKSClient } from '@aws-sdk/client-eks';
import { STSClient } from '@aws-sdk/client-sts';
import type { Snapshot, SnapshotService } from '../../../../domain/facts/snapshot/format.ts';
import type { AwsClients } from '../../../clients/aws/clients.ts';
import { noChanges, notHeld } from './failures.ts';
import type { Answer } from './calls.ts';

interface Middlewares {
  middlewareStack: { add(middleware: typeof inPlaceOfSending, options: typeof OUTERMOST): void };
}

declare const inPlaceOfSending: (
  next: unknown,
  context: { commandName?: string },
) => (args: { input: object }) => Promise<{ output: never; response: unknown }>;

/** Before anything is serialized, signed or sent; what comes after it is never reached. */
const OUTERMOST = { step: 'initialize', priority: 'high', name: 'belayAnswersFromSnapshot' } as const;

export function replayedAws({ header }: Snapshot, answer: Answer): AwsClients {
  const eks = replaying(new EKSClient(nowhere(header.cluster.region)), 'eks', answer);
  const sts = replaying(new STSClient(nowhere(header.cluster.region)), 'sts', answer);
  return {
    eks,
    sts,
    writing: () => Promise.reject(noChanges(`changing ${header.cluster.name}`)),
    eksDate: () => header.takenAt,
    close: () => {
      eks.destroy();
      sts.destroy();
    },
  };
}

/** A client that has no credentials to lose. */
const nowhere = (region: string) => ({ region, credentials: { accessKeyId: 'snapshot', secretAccessKey: 'snapshot' }, maxAttempts: 1 });

function replaying<Client extends Middlewares>(client: Client, service: SnapshotService | 'sts', answer: Answer): Client {
  client.middlewareStack.add((_next, context) => {
    const operation = (context.commandName ?? '').replace(/Command$/, '');
    // The output is what the caller's own command declares; only the stack cannot say which it is.
    return async ({ input }) => ({ output: answered(service, operation, input, answer) as never, response: {} });
  }, OUTERMOST);
  return client;
}

function answered(service: SnapshotService | 'sts', operation: string, input: object, answer: Answer): Record<string, unknown> {
  if (service === 'sts') throw notHeld(`who asks (sts:${operation})`);
  return answer(service, operation, input);
}
