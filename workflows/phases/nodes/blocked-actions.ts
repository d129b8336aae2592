/** What was done for nodes that could not be replaced, in one message of the thread: edited in place, however many nodes there are. */
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import {
  blockedDeeds,
  notScaledBack,
  podDeleted,
  podNotDeleted,
  scaledBack,
  scalingCutOff,
  workloadScaled,
} from '../../messages/nodes/blocked-actions.ts';
import type { Phase } from '../base/phase.ts';

type Workload = NonNullable<BlockedNode['workload']>;
type Pod = Pick<NonNullable<BlockedNode['pod']>, 'namespace' | 'name'>;

/** As many as are read at a glance, and fit into a message; the audit record has every one. */
const MOST_LINES = 20;

interface Deed {
  text: string;
  /** Of a workload: how its scaling ended. */
  ended?: string;
  isBack?: boolean;
  level: 'info' | 'warning' | 'alarm';
}

export class BlockedDeeds {
  readonly #phase: Phase;
  /** By what it was done to: a workload that is scaled for another node's sake is one line. */
  readonly #deeds = new Map<string, Deed>();

  constructor(phase: Phase) {
    this.#phase = phase;
  }

  scaled(workload: Workload, how: { before: number; after: number; ready: boolean }): void {
    this.#set(objectTitle(workload), { text: workloadScaled(workload, how), level: 'info' });
  }

  back(workload: Workload): void {
    this.#end(workload, { isBack: true, ended: scaledBack(workload) });
  }

  leftAlone(workload: Workload): void {
    this.#end(workload, { ended: notScaledBack() });
  }

  deleted(pod: Pod, isCordoned: boolean): void {
    this.#set(objectTitle({ kind: 'Pod', ...pod }), { text: podDeleted(pod, isCordoned), level: 'warning' });
  }

  notDeleted(pod: Pod, why: string): void {
    this.#set(objectTitle({ kind: 'Pod', ...pod }), { text: podNotDeleted(pod, why), level: 'alarm' });
  }

  #end(workload: Workload, how: Pick<Deed, 'ended' | 'isBack'>): void {
    const title = objectTitle(workload);
    const deed = this.#deeds.get(title) ?? { text: scalingCutOff(workload), level: 'info' };
    this.#set(title, { ...deed, ...how });
  }

  #set(title: string, deed: Deed): void {
    this.#deeds.set(title, deed);
    const { step, round } = this.#phase.input;
    const levels = [...this.#deeds.values()].map(({ level }) => level);
    const level = (['alarm', 'warning'] as const).find((worst) => levels.includes(worst)) ?? 'info';
    this.#phase.announcer.say(`blocked/${step.id}.${round}`, { kind: 'note', level, text: this.#text() });
  }

  #text(): string {
    const deeds = [...this.#deeds.values()];
    const lines = deeds.map(({ text, ended = '' }) => `${text}${ended}`);
    const scaled = deeds.filter(({ level }) => level === 'info');
    return blockedDeeds(lines.slice(-MOST_LINES), {
      scaledCount: scaled.length,
      backCount: scaled.filter(({ isBack }) => isBack === true).length,
      earlierCount: Math.max(0, lines.length - MOST_LINES),
    });
  }
}
