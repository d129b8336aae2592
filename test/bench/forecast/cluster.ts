/** A snapshot of a large cluster: NodePools in three zones, workloads of twenty replicas, budgets on most of them. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import type { Snapshot } from '../../../domain/facts/snapshot/format.ts';
import { type AppOf, type ClusterOf, clusterSnapshot } from '../../support/clusters.ts';

const ZONES = ['eu-1a', 'eu-1b', 'eu-1c'];
const POOLS = 10;
const REPLICAS = 20;
const SPREAD = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };

/** Each node is 80 % full by requests. */
export function largeCluster(nodes: number, pods: number): { of: ClusterOf; snapshot: Snapshot } {
  const perPool = Math.floor((nodes * 0.98) / POOLS);
  const pools = Array.from({ length: POOLS }, (_, index) => ({
    name: `pool-${index}`,
    nodes: perPool,
    cpu: '8',
    zones: ZONES,
    budgets: [{ nodes: '10%' }],
    startsMs: [35_000, 42_000, 55_000, 80_000],
  }));
  const groups = [{ name: 'system', nodes: nodes - perPool * POOLS, zones: ZONES, cpu: '8' }];
  const cpu = `${Math.floor((8_000 * 0.8 * nodes) / pods)}m`;
  const apps = Array.from({ length: Math.floor(pods / REPLICAS) }, (_, index): AppOf => {
    const name = `app-${index}`;
    const labelSelector = { matchLabels: { app: name } };
    return {
      name,
      namespace: `team-${index % 100}`,
      kind: index % 10 === 0 ? 'StatefulSet' : 'Deployment',
      replicas: REPLICAS,
      cpu,
      startMs: 5_000 + (index % 50) * 1_000,
      ...(index % 4 === 3 ? {} : { budget: index % 50 === 0 ? { maxUnavailable: 0 } : { maxUnavailable: '10%' } }),
      ...(index % 5 === 0 ? { spec: { topologySpreadConstraints: [{ ...SPREAD, labelSelector }] } } : {}),
      volume: index % 20 === 0,
    };
  });
  const of = { pools, groups, apps };
  return { of, snapshot: clusterSnapshot(of) };
}

/** As belay snapshot writes one. */
export async function writeSnapshot(file: string, { header, calls, lists, objects, endedAt }: Snapshot): Promise<void> {
  const hash = createHash('sha256');
  const zip = createGzip();
  const written = once(zip.pipe(createWriteStream(file)), 'finish');
  let lines = 0;
  const put = (line: unknown): void => {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    lines += 1;
    zip.write(text);
  };
  put(header);
  for (const call of calls) put(call);
  for (const list of lists) {
    put(list);
    for (const object of objects.get(`${list.apiVersion} ${list.plural}`) ?? []) put({ kind: 'object', plural: list.plural, object });
  }
  zip.end(`${JSON.stringify({ kind: 'end', endedAt, lines, sha256: hash.digest('hex') })}\n`);
  await written;
}
