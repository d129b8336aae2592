/** How long things usually take, from the records of earlier upgrades. */
import { learn, type Learner, type PastUpgrade } from '../../../domain/run/durations/learn.ts';
import type { UpgradePolicy } from '../../../domain/policy/policy.ts';
import { field, isRecord, messageOf } from '../../../domain/core/unknown.ts';
import type { RecordStore } from '../../contract/records.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { Learnt } from '../../../domain/plan/model/usual.ts';

/** Of this cluster, and of all of them: enough for a median, and few enough to be read before each plan. */
const READ = { own: 20, all: 60 };

export interface LearningDeps {
  store: Pick<RecordStore, 'newest'>;
  policyOf: (clusterName: string) => UpgradePolicy;
}

/** Never fails: a plan is not refused because its durations are those of others. `unlearnt` says why in that case. */
export async function learnFromRecords(
  { store, policyOf }: LearningDeps,
  { cluster, environment }: UpgradePolicy,
): Promise<{ learnt: Learnt } | { unlearnt: string }> {
  const environmentOf = ({ name }: ClusterRef): string | undefined => {
    try {
      return policyOf(name).environment;
    } catch {
      return undefined;
    }
  };
  try {
    const [own, all] = [await store.newest(READ.own, cluster), await store.newest(READ.all)];
    const known = new Map([...own, ...all].filter(isPastUpgrade).map((past) => [past.report.status.runId, past]));
    const by = { cluster, environment, environmentOf };
    return {
      learnt: learn(
        [...known.values()].filter((past) => canBeRead(past, by)),
        by,
      ),
    };
  } catch (error) {
    return { unlearnt: `the records of earlier upgrades cannot be read: ${messageOf(error)}`.slice(0, 300) };
  }
}

/** A plan of another release may have a shape of its own: one record less is known then. */
function canBeRead(past: PastUpgrade, by: Learner): boolean {
  try {
    learn([past], by);
    return true;
  } catch {
    return false;
  }
}

/** Runs that ended before they had a plan teach nothing, nor does what is no record at all. */
export function isPastUpgrade(json: unknown): json is PastUpgrade & { report: { status: { runId: string } } } {
  const [report, plan] = [field(json, 'report'), field(json, 'plan')];
  const status = field(report, 'status');
  return (
    typeof field(status, 'runId') === 'string' &&
    isRecord(field(status, 'cluster')) &&
    Array.isArray(field(status, 'steps')) &&
    Array.isArray(field(report, 'decisions')) &&
    Array.isArray(field(plan, 'steps'))
  );
}
