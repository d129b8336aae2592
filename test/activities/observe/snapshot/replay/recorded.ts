/** A snapshot made of whatever is asked of real clients meanwhile: in the shapes of the file, and with nothing left out. */
import type { AccountClients } from '../../../../../activities/clients/aws/account-clients.ts';
import type { ClusterClients } from '../../../../../activities/clients/clusters.ts';
import type { ClusterPorts, KubeObject, KubernetesPort, ListQuery } from '../../../../../activities/contract/ports.ts';
import type { ClusterRef } from '../../../../../domain/core/cluster-ref.ts';
import { field, isRecord } from '../../../../../domain/core/unknown.ts';
import {
  listKey,
  type Snapshot,
  type SnapshotCall,
  type SnapshotKubeObject,
  type SnapshotService,
} from '../../../../../domain/facts/snapshot/format.ts';

export interface Recording {
  clients: ClusterClients;
  /** What has been asked so far, and types that nobody asked for. */
  snapshot(others?: Pick<ListQuery, 'apiVersion' | 'plural'>[]): Promise<Snapshot>;
}

const inJson = <T>(value: T): T => JSON.parse(JSON.stringify(value ?? null));

export function recording(clients: ClusterClients, ref: ClusterRef): Recording {
  const calls: SnapshotCall[] = [];
  const asked = new Map<string, Promise<KubeObject[] | undefined>>();
  const note = async <T>(service: SnapshotService, operation: string, input: unknown, ask: () => Promise<T>): Promise<T> => {
    const call = { kind: 'aws', service, operation, input: inJson(isRecord(input) ? input : {}) } as const;
    try {
      const output = await ask();
      if (isRecord(output)) calls.push({ ...call, output: inJson({ ...output, $metadata: undefined }) });
      return output;
    } catch (error) {
      calls.push({ ...call, error: { name: String(field(error, 'name')) } });
      throw error;
    }
  };
  const aws = clients.aws(ref);
  aws.eks.middlewareStack.add(
    (next, context) => async (args) => {
      let result: Awaited<ReturnType<typeof next>> | undefined;
      await note('eks', String(context['commandName']).replace(/Command$/, ''), args.input, async () => {
        result = await next(args);
        return result.output;
      });
      if (result === undefined) throw new Error('there is no answer');
      return result;
    },
    { step: 'initialize', priority: 'high', name: 'testRecords' },
  );
  const whole = (port: KubernetesPort, { apiVersion, plural }: Pick<ListQuery, 'apiVersion' | 'plural'>) => {
    const key = listKey(apiVersion, plural);
    const found = asked.get(key) ?? port.list({ apiVersion, plural });
    asked.set(key, found);
    return found;
  };
  const recordedPorts = ({ kubernetes: port, ...others }: ClusterPorts): ClusterPorts => ({
    ...others,
    kubernetes: {
      ...port,
      list: async (query, keep) => {
        await whole(port, query);
        return await port.list(query, keep);
      },
      get: async (one) => {
        await whole(port, one);
        return await port.get(one);
      },
    },
  });
  return {
    clients: {
      ...clients,
      aws: () => aws,
      account: () => recordedAccount(clients.account(ref), note),
      clusterPorts: async () => recordedPorts(await clients.clusterPorts(ref)),
    },
    async snapshot(others = []) {
      const { kubernetes } = await clients.clusterPorts(ref);
      for (const other of others) await whole(kubernetes, other);
      const objects: Snapshot['objects'] = new Map();
      const lists: Snapshot['lists'] = [];
      for (const [key, found] of asked) {
        const [apiVersion = '', plural = ''] = key.split(' ');
        const read = await found;
        if (read === undefined) lists.push({ kind: 'list', apiVersion, plural, outcome: 'absent' });
        else {
          lists.push({ kind: 'list', apiVersion, plural, outcome: 'read', count: read.length });
          objects.set(key, inJson(read) as unknown as SnapshotKubeObject[]);
        }
      }
      const { minor, gitVersion } = await kubernetes.version();
      const takenAt = aws.eksDate() ?? '';
      return {
        header: {
          kind: 'header',
          format: 'belay-snapshot',
          version: 1,
          takenAt,
          belay: '0.1.0',
          cluster: ref,
          kubernetes: { minor, gitVersion },
          anonymized: false,
        },
        endedAt: takenAt,
        calls: [...calls],
        lists,
        objects,
        gaps: [],
      };
    },
  };
}

const SERVICES: Partial<Record<keyof AccountClients, SnapshotService>> = {
  autoScaling: 'autoscaling',
  ec2: 'ec2',
  iam: 'iam',
  kms: 'kms',
  quotas: 'service-quotas',
  ssm: 'ssm',
};

type Note = <T>(service: SnapshotService, operation: string, input: unknown, ask: () => Promise<T>) => Promise<T>;

function recordedAccount(account: AccountClients, note: Note): AccountClients {
  const opened = Object.entries(account).map(([name, open]) => {
    const service = SERVICES[name as keyof AccountClients];
    return [name, service === undefined ? open : async () => recordedService(await open(), service, note)];
  });
  return Object.fromEntries(opened) as AccountClients;
}

function recordedService(client: object | void, service: SnapshotService, note: Note): object {
  const operations = Object.entries(client ?? {}).map(([name, ask]: [string, unknown]) => [
    name,
    (input: unknown, options: unknown) =>
      note(service, `${name.charAt(0).toUpperCase()}${name.slice(1)}`, input, async () =>
        typeof ask === 'function' ? await ask(input, options) : undefined,
      ),
  ]);
  return Object.fromEntries(operations) as object;
}
