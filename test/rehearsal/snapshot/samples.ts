/** Makes the sample snapshots in rehearsal/samples/ anew: node --no-warnings test/rehearsal/snapshot/samples.ts */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Snapshot, SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { buildWorld } from '../../../rehearsal/world/build.ts';
import { ManualClock } from '../../../rehearsal/world/manual-clock.ts';
import { keptAnswer, keptObject, LISTS } from '../../../domain/facts/snapshot/allowed/index.ts';
import { selectedKeys } from '../../../domain/facts/snapshot/marks.ts';
import { listKey } from '../../../domain/facts/snapshot/format.ts';
import { SAMPLES } from './sample-worlds.ts';
import { snapshotOf } from './snapshot-of.ts';
import { fileOf } from './write.ts';

export const sampleFile = (name: string): string =>
  fileURLToPath(new URL(`../../../rehearsal/samples/${name}.snapshot.gz`, import.meta.url));

/** The same in every run: what is random in a world is made of names. */
export function sampleOf(scenario: Scenario): Snapshot {
  const { world } = buildWorld({ scenario, speed: 1, clock: new ManualClock({ startsAt: scenario.startsAt }) });
  const snapshot = snapshotOf(world);
  const ids = new Map<string, string>();
  for (const objects of snapshot.objects.values())
    for (const { kind, metadata } of objects) ids.set(metadata.uid, idOf(`${kind}/${metadata.namespace ?? ''}/${metadata.name}`));
  for (const [key, objects] of snapshot.objects) {
    const plain = objects.filter(({ kind }) => kind !== 'Lease');
    snapshot.objects.set(
      key,
      plain.map((object) => withIds(withTimes(object), ids)),
    );
  }
  return cutDown(snapshot);
}

/** To what the allow-list keeps, list by list. */
function cutDown(snapshot: Snapshot): Snapshot {
  const labels = new Set<string>();
  for (const objects of snapshot.objects.values()) for (const object of objects) selectedKeys(object, labels);
  const objects: Snapshot['objects'] = new Map();
  const lists: Snapshot['lists'] = [];
  for (const { apiVersion, plural } of LISTS) {
    const key = listKey(apiVersion, plural);
    const found = snapshot.objects.get(key);
    if (found === undefined || objects.has(key)) continue;
    objects.set(
      key,
      found.map((object) => keptObject(object, { apiVersion, plural }, { labels, annotations: new Set() })),
    );
    lists.push({ kind: 'list', apiVersion, plural, outcome: 'read', count: found.length });
  }
  const calls = snapshot.calls.map((call) => ({ ...call, output: keptAnswer(call.service, call.operation, call.output) }));
  return { ...snapshot, header: { ...snapshot.header, belay: '0.1.0' }, calls, lists, objects };
}

function withIds(object: SnapshotKubeObject, ids: ReadonlyMap<string, string>): SnapshotKubeObject {
  return JSON.parse(JSON.stringify(object), (_key, value: unknown) => (typeof value === 'string' ? (ids.get(value) ?? value) : value));
}

/** Scenarios bring their worlds to rest in no time; in life a node takes about fifty seconds, and a pod some. */
function withTimes(object: SnapshotKubeObject): SnapshotKubeObject {
  const after =
    object.kind === 'NodeClaim' ? { Initialized: 46 + spread(object, 12) } : object.kind === 'Pod' ? { Ready: 5 + spread(object, 20) } : {};
  return JSON.parse(JSON.stringify(object), (_key, value: { type?: string; lastTransitionTime?: string }) => {
    const seconds: number | undefined = typeof value === 'object' && value !== null ? Reflect.get(after, value.type ?? '') : undefined;
    if (seconds === undefined || value.lastTransitionTime === undefined) return value;
    const at = new Date(Date.parse(value.lastTransitionTime) + seconds * 1000);
    return { ...value, lastTransitionTime: at.toISOString().replace('.000Z', 'Z') };
  });
}

const hash = (text: string): Buffer => createHash('sha1').update(text).digest();
const spread = ({ metadata }: SnapshotKubeObject, below: number): number => hash(metadata.name).readUInt16BE() % below;

function idOf(text: string): string {
  const hex = hash(text).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(fileURLToPath(new URL('../../../rehearsal/samples/', import.meta.url)), { recursive: true });
  for (const [name, scenario] of Object.entries(SAMPLES)) writeFileSync(sampleFile(name), fileOf(sampleOf(scenario)));
}
