/** Makes the sample snapshots in rehearsal/scenarios/samples/ anew: node --no-warnings test/rehearsal/snapshot/samples.ts */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Snapshot, SnapshotKubeObject } from '../../../domain/facts/snapshot/format.ts';
import type { Scenario } from '../../../rehearsal/scenarios/scenario.ts';
import { snapshotOfScenario } from '../../support/snapshots.ts';
import { SAMPLES } from './sample-worlds.ts';
import { fileOf } from './write.ts';

export const sampleFile = (name: string): string =>
  fileURLToPath(new URL(`../../../rehearsal/scenarios/samples/${name}.snapshot.gz`, import.meta.url));

/** As `belay snapshot` takes it over the wire, and the same in every run: what is random in a world is made of names, and time stands still. */
export async function sampleOf(scenario: Scenario): Promise<Snapshot> {
  const { snapshot, remove } = await snapshotOfScenario(scenario);
  remove();
  const settled = settling(snapshot, scenario.startsAt);
  const objects = [...snapshot.objects].map(([key, list]): [string, SnapshotKubeObject[]] => [
    key,
    list.map((object) => settled(withTimes(object))),
  ]);
  return {
    ...settled({ ...snapshot, objects: [] }),
    // Several are asked for at once.
    calls: settled(snapshot.calls).toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)),
    objects: new Map(objects),
  };
}

const orderOf = ({ service, operation, input }: Snapshot['calls'][number]): string => `${service} ${operation} ${JSON.stringify(input)}`;

/** Copies with the ids that names make, and with the scenario's beginning in place of each later time. */
function settling({ objects }: Snapshot, startsAt: string): <T>(value: T) => T {
  const ids = new Map<string, string>();
  for (const list of objects.values())
    for (const { kind, metadata } of list) ids.set(metadata.uid, idOf(`${kind}/${metadata.namespace ?? ''}/${metadata.name}`));
  const beganMs = Date.parse(startsAt);
  const text = (value: string, key: string): string => {
    if (key === 'holderIdentity') return value.replace(/_[0-9a-f-]{36}$/, (id) => `_${idOf(value.slice(0, -id.length))}`);
    if (!DATE.test(value) || Date.parse(value) <= beganMs || Date.parse(value) > beganMs + DAY_MS) return ids.get(value) ?? value;
    const began = new Date(beganMs).toISOString();
    // Kubernetes' own times have no fractions.
    return value.includes('.') ? began : began.replace('.000Z', 'Z');
  };
  return <T>(value: T): T => JSON.parse(JSON.stringify(value), (key, each: unknown) => (typeof each === 'string' ? text(each, key) : each));
}

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** It is taken within minutes of world time; ends of support, for one, are later than that. */
const DAY_MS = 24 * 3_600_000;

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
  mkdirSync(fileURLToPath(new URL('../../../rehearsal/scenarios/samples/', import.meta.url)), { recursive: true });
  for (const [name, scenario] of Object.entries(SAMPLES)) writeFileSync(sampleFile(name), fileOf(await sampleOf(scenario)));
}
