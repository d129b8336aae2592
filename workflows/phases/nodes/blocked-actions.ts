/** What was done for nodes that could not be replaced, in one message of the thread: edited in place, however many nodes there are. */
import type { BlockedNode } from '../../../activities/contract/karpenter.ts';
import { count, objectTitle } from '../../../domain/core/text.ts';
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

  scaled(workload: Workload, { before, after, ready }: { before: number; after: number; ready: boolean }): void {
    const title = objectTitle(workload);
    const text = `${title} scaled ${before} → ${after}${ready ? '' : ', but the new pod is not Ready'}`;
    this.#set(title, { text, level: 'info' });
  }

  back(workload: Workload): void {
    this.#end(workload, { isBack: true, ended: `, and back at ${count(workload.replicas, 'replica')}` });
  }

  leftAlone(workload: Workload): void {
    this.#end(workload, { ended: '; not scaled back, because somebody else has changed it since' });
  }

  deleted(pod: Pod): void {
    const title = objectTitle({ kind: 'Pod', ...pod });
    this.#set(title, { text: `${title} deleted, as decided`, level: 'warning' });
  }

  notDeleted(pod: Pod, why: string): void {
    const title = objectTitle({ kind: 'Pod', ...pod });
    this.#set(title, { text: `${title} was NOT deleted: ${why}`, level: 'alarm' });
  }

  #end(workload: Workload, how: Pick<Deed, 'ended' | 'isBack'>): void {
    const title = objectTitle(workload);
    const deed = this.#deeds.get(title) ?? { text: `${title}: scaling was cut off`, level: 'info' };
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
    if (lines.length === 1) return `${lines.join('')}.`;
    const scaled = deeds.filter(({ level }) => level === 'info');
    const backCount = scaled.filter(({ isBack }) => isBack === true).length;
    const back = backCount === 0 ? '' : ` (${backCount} of ${count(scaled.length, 'workload')} scaled back)`;
    const earlier = lines.length > MOST_LINES ? [`${lines.length - MOST_LINES} earlier ones`] : [];
    return [
      `Done for nodes that could not be replaced${back}:`,
      ...[...earlier, ...lines.slice(-MOST_LINES)].map((line) => `• ${line}`),
    ].join('\n');
  }
}
