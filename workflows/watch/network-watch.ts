/** The run's watch of its network's queue: where nobody polls it, the run's activities wait there without a word. One activity, which ends only with news. */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { QueueState } from '../../activities/contract/queues.ts';
import type { UpgradePolicy } from '../../domain/policy/policy.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { networkQueue } from '../contract/ids.ts';
import { pollersUnknown, queuePolled, queueUnpolled, queueUnread, waitsForWorker } from '../messages/networks.ts';
import type { UpgradeProgress } from '../reporting/progress.ts';
import type { RunNotifier } from '../reporting/run-notifier.ts';
import type { PhaseActivities } from '../runtime/activity-proxies.ts';
import { messageOf } from '../runtime/root-cause.ts';

/** Workers that come and go are told so often; a history has its limits. */
const MAX_NEWS = 40;

interface NetworkWatchDeps {
  cluster: ClusterRef;
  policy: UpgradePolicy;
  activities: PhaseActivities;
  progress: Pick<UpgradeProgress, 'waitForWorker'>;
  voice: Pick<RunNotifier, 'board' | 'note'>;
}

export class NetworkWatch {
  readonly #deps: NetworkWatchDeps;
  #scope: CancellationScope | undefined;

  constructor(deps: NetworkWatchDeps) {
    this.#deps = deps;
  }

  /**
   * Of a cluster without a network nothing is watched: whoever runs the run's own code does its activities, too. An abort does not end it: what is put
   * back then waits for the same worker.
   */
  begin(): this {
    const { network } = this.#deps.cluster;
    if (network === undefined) return this;
    const queue = networkQueue(network);
    void CancellationScope.nonCancellable(async () => {
      this.#scope = new CancellationScope();
      await this.#scope.run(() => this.#keepLooking(queue));
    }).catch((error: unknown) => {
      if (!isCancellation(error)) this.#tell(queue, { kind: 'unknown', why: messageOf(error) });
    });
    return this;
  }

  end(): void {
    this.#scope?.cancel();
  }

  async #keepLooking(queue: string): Promise<void> {
    const { activities, cluster, policy } = this.#deps;
    let known: QueueState['kind'] = 'polled';
    for (let told = 0; told < MAX_NEWS; told += 1) {
      const state: QueueState = await activities.watch.watchQueue.executeWithOptions({ summary: `Does a worker poll ${queue}?` }, [
        { cluster, timing: policy.timing, known },
      ]);
      known = state.kind;
      this.#tell(queue, state);
    }
  }

  #tell(queue: string, state: QueueState): void {
    const { cluster, progress, voice } = this.#deps;
    switch (state.kind) {
      case 'unpolled':
        progress.waitForWorker(waitsForWorker(queue));
        voice.note(queueUnpolled(queue, cluster.name));
        break;
      case 'unknown':
        progress.waitForWorker(pollersUnknown(queue, state.why));
        voice.note(queueUnread(queue, state.why));
        break;
      case 'polled':
        progress.waitForWorker(undefined);
        voice.note(queuePolled(queue));
    }
    voice.board();
  }
}
