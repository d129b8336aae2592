/** The watch of a cluster's own state: it ends with news, and is started again with what is known. */
import type { Timing } from '../../../domain/policy/policy.ts';
import { isNews, judgeAway, judgeLook, type TroubleState } from '../../../domain/health/cluster-trouble.ts';
import { field, isRecord } from '../../../domain/core/unknown.ts';
import { duration } from '../../../domain/core/text.ts';
import { currentSignal, lastHeartbeat } from '../../runtime/context.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureOf, translateError } from '../../runtime/translate-errors.ts';
import { FOR_EVER_MS, waitUntil } from '../../runtime/wait-until.ts';
import type { ClusterStateActivities } from '../../contract/health.ts';
import { lookAt } from './read-state.ts';

/** A look takes at most this share of the time: large clusters are looked at less often. */
const BUSY_SHARE = 0.05;

type Judged = Awaited<ReturnType<ClusterStateActivities['watchCluster']>>;

export function createClusterStateActivities(deps: Pick<KubernetesDeps, 'clusterPorts'>): ClusterStateActivities {
  return {
    async watchCluster({ cluster, timing, state }) {
      const { kubernetes } = await deps.clusterPorts(cluster);
      // News are not remembered before they are told: an attempt that dies with them says them again.
      let known = rememberedState() ?? state;
      const details = (): Record<string, unknown> => (known === undefined ? {} : { state: known });
      // Read at each turn: a pause is as long as the look before it asks for.
      const steady = { ...timing, pollMinMs: timing.pollMaxMs };
      const doing = `watching the state of ${cluster.name}`;
      const waited = await waitUntil<Judged>({ timing: steady, timeoutMs: FOR_EVER_MS, doing, details }, async () => {
        const startedMs = Date.now();
        const judged = await judge(kubernetes, known, timing);
        const pauseMs = Math.max(timing.pollMaxMs, (Date.now() - startedMs) / BUSY_SHARE);
        Object.assign(steady, { pollMinMs: pauseMs, pollMaxMs: pauseMs });
        if (isNews(judged.news)) return { done: true, value: judged };
        known = judged.state;
        return { done: false };
      });
      if (waited.kind === 'done') return waited.value;
      throw failureOf('Unknown', `${doing}: it has ended by itself`);
    },
  };
}

/** An API server that does not answer is transient at first. */
async function judge(kubernetes: KubernetesPort, known: TroubleState | undefined, timing: Timing): Promise<Judged> {
  try {
    return judgeLook(known, await lookAt(kubernetes));
  } catch (error) {
    if (currentSignal().aborted) throw error;
    const failure = translateError(error, 'looking at the cluster');
    if (failure.nonRetryable) throw failure;
    const limits = { wallMs: Date.now(), transientMs: timing.apiTransientMs, lasts: duration };
    const { away, news } = judgeAway(known, failure.message, limits);
    return { state: { ...(known ?? { known: {}, unseen: [], blank: true }), away }, news };
  }
}

/** Of the attempt before. */
function rememberedState(): TroubleState | undefined {
  const state = field(field(lastHeartbeat(), 'details'), 'state');
  return isRecord(state) && isRecord(state['known']) && Array.isArray(state['unseen']) ? (state as unknown as TroubleState) : undefined;
}
