/** Looks whether what the last run of a cluster has changed stands in code, too: by the run's record, and by the objects themselves. */
import type { AskedChange } from '../../../domain/run/record/change-requests.ts';
import { judgeMerge, type MergeQuestion } from '../../../domain/run/code-changes/merged.ts';
import { type IacNote, iacNotes } from '../../../domain/run/code-changes/notes.ts';
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import type { UpgradeReport } from '../../../domain/run/record/status.ts';
import { field, messageOf } from '../../../domain/core/unknown.ts';
import { someOf } from '../../../domain/core/text.ts';
import { SyncStates } from './sync-state.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import type { RecordStore } from '../../contract/records.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { MergeFinding } from '../../../domain/run/record/merge-finding.ts';

/** A run that was refused or rejected has changed nothing: the one before it counts. */
const LOOK_BACK = 10;

/** None where no record tells of a change. Throws where records cannot be read. */
export async function findMerges(store: RecordStore, kubernetes: KubernetesPort, cluster: ClusterRef): Promise<MergeFinding[]> {
  const records = await store.newest(LOOK_BACK, cluster);
  return await judgeMerges(kubernetes, records.map(notesOf).find((all) => all.length > 0) ?? []);
}

/** One finding of each that can be looked at, in their order, and one of all the others. What cannot be read is unknown. */
export async function judgeMerges(kubernetes: KubernetesPort, notes: readonly MergeQuestion[]): Promise<MergeFinding[]> {
  const syncStates = new SyncStates(kubernetes);
  const findings: MergeFinding[] = [];
  for (const note of notes.filter(({ when }) => when === undefined)) findings.push(await findMerge(kubernetes, syncStates, note));
  // Of all of them the same is to be said.
  const [guess, ...others] = notes.filter(({ when }) => when !== undefined);
  if (guess !== undefined) findings.push(judgeMerge({ ...guess, object: someOf([guess, ...others].map(({ object }) => object)) }, []));
  return findings;
}

async function findMerge(kubernetes: KubernetesPort, syncStates: SyncStates, note: MergeQuestion): Promise<MergeFinding> {
  try {
    const fields = note.fields ?? [];
    const seen = await Promise.all(fields.map(({ object }) => kubernetes.get(object)));
    const syncs = await Promise.all(
      fields.map(async ({ object: ref }, index) => {
        const object = seen[index];
        return object === undefined ? [] : await syncStates.of(ref, object);
      }),
    );
    return judgeMerge(note, seen, syncs);
  } catch (error) {
    return { object: note.object, state: 'unknown', why: messageOf(error) };
  }
}

/** Records are written by Belay. */
function notesOf(record: unknown): IacNote[] {
  const report = field(record, 'report') as UpgradeReport | undefined;
  if (report === undefined) return [];
  return iacNotes(
    field(record, 'plan') as UpgradePlan | undefined,
    report.status.steps,
    (field(record, 'asked') as AskedChange[] | undefined) ?? [],
  );
}
