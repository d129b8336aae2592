/** Windows as belay.yaml says them now, by EKS's own clock; and the order of environments. */
import { orderOf, type EarlierCluster, type AfterEnvironment } from '../../../domain/policy/environments.ts';
import type { PhaseId } from '../../../domain/core/phases.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { WindowPolicy, WindowVerdict } from '../../../domain/policy/windows.ts';
import type { ClusterDeps } from '../../clients/clusters.ts';
import { describeCluster } from '../../clients/aws/eks-api.ts';
import { readEksClock } from '../../eks/clock.ts';
import type { RecordStore } from '../../contract/records.ts';
import { see, transientByAttempt } from '../../runtime/see.ts';
import { isPermanent } from '../../runtime/translate-errors.ts';
import { FOR_EVER_MS, waitUntil } from '../../runtime/wait-until.ts';
import type { WindowActivities } from '../../contract/windows.ts';
import { judge } from './judge.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { WindowQuestion } from '../../../domain/plan/model/window-question.ts';

/** Five minutes as a rule. */
const SETTLED_POLLS = 10;

export interface WindowDeps extends Pick<ClusterDeps, 'aws'> {
  /** Reads belay.yaml anew; throws where it cannot be used or does not name the cluster. */
  windowsOf(clusterName: string): WindowPolicy | undefined;
  store: Pick<RecordStore, 'upgradesOf'>;
}

/** Has an exclusion begun that stops the phase? Windows that close stop nothing that has begun. */
export async function judgeExclusions(
  deps: Pick<WindowDeps, 'aws' | 'windowsOf'>,
  cluster: ClusterRef,
  phase: PhaseId,
): Promise<WindowVerdict> {
  const verdictOf = (policy: WindowPolicy, nowMs: number): WindowVerdict =>
    judge({ ...policy, maintenance: [], lastStartMs: 0 }, { phases: [phase], needMs: 0 }, nowMs);
  return await judgeNow(deps, cluster, verdictOf);
}

async function judgeNow(
  deps: Pick<WindowDeps, 'aws' | 'windowsOf'>,
  cluster: ClusterRef,
  verdictOf: (policy: WindowPolicy, nowMs: number) => WindowVerdict,
): Promise<WindowVerdict> {
  // Windows are about the world that is changed, so its clock counts and not a worker's.
  const nowMs = Date.parse(await readEksClock(deps.aws(cluster), cluster));
  let policy: WindowPolicy | undefined;
  try {
    policy = deps.windowsOf(cluster.name);
  } catch (error) {
    return { kind: 'unknown', why: `the windows cannot be read: ${messageOf(error)}` };
  }
  return policy === undefined ? { kind: 'open' } : verdictOf(policy, nowMs);
}

export function createWindowActivities(deps: WindowDeps): WindowActivities {
  const look = (cluster: ClusterRef, question: WindowQuestion): Promise<WindowVerdict> =>
    judgeNow(deps, cluster, (policy, nowMs) => judge(policy, question, nowMs));
  /** People have been asked already, so a refusal is no end either: the watch lives until it may be looked again. */
  const watched = async (cluster: ClusterRef, question: WindowQuestion): Promise<WindowVerdict> => {
    try {
      return await look(cluster, question);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      return { kind: 'unknown', why: messageOf(error) };
    }
  };
  return {
    judgeWindow: ({ cluster, phases, needMs }) => look(cluster, { phases, needMs }),

    async awaitWindow({ cluster, timing, phases, needMs, toldOf }) {
      const doing = `waiting for a maintenance window of ${cluster.name}`;
      const waited = await waitUntil({ timing, timeoutMs: FOR_EVER_MS, doing }, async (elapsedMs) => {
        const verdict = await watched(cluster, { phases, needMs });
        // Not at once: two workers whose files differ would ask people in turns.
        const hasMoved = elapsedMs >= SETTLED_POLLS * timing.pollMaxMs && isLater(verdict, toldOf);
        return verdict.kind === 'open' || hasMoved ? { done: true, value: verdict } : { done: false, note: verdict.why };
      });
      return { opened: waited.kind === 'done' && waited.value.kind === 'open' };
    },

    async judgeOrder({ cluster, target, after }) {
      const onTransient = transientByAttempt();
      const earlier: EarlierCluster[] = [];
      for (const ref of after.clusters) earlier.push(await readEarlier(deps, ref, onTransient));
      return orderOf(target, after.bakedDays, earlier, await readEksClock(deps.aws(cluster), cluster));
    },
  };
}

/** An earlier window needs nobody to be told: it opens. A belay.yaml that cannot be read for a while moves nothing. */
function isLater(verdict: WindowVerdict, toldOf: string | undefined): boolean {
  if (verdict.kind !== 'closed' || verdict.opensAt === toldOf) return false;
  return toldOf === undefined || verdict.opensAt === undefined || Date.parse(verdict.opensAt) > Date.parse(toldOf);
}

async function readEarlier(
  deps: WindowDeps,
  ref: AfterEnvironment['clusters'][number],
  onTransient: ReturnType<typeof transientByAttempt>,
): Promise<EarlierCluster> {
  const seen = await see(`describing ${ref.name}`, () => describeCluster(deps.aws(ref), ref), onTransient);
  if (!seen.ok) return { cluster: ref.name, unseen: seen.unseen.why };
  const known = {
    cluster: ref.name,
    ...(seen.value.version === undefined ? { unseen: 'EKS says no version' } : { version: seen.value.version }),
  };
  try {
    return { ...known, upgrades: await deps.store.upgradesOf(ref) };
  } catch (error) {
    return { ...known, unrecorded: messageOf(error) };
  }
}
