/** Managed node groups side by side, as Belay moves them; and groups of one's own, one after the other. */
import { someOf } from '../../../core/text.ts';
import type { StepParams } from '../../model/step-params.ts';
import type { PlannedStep } from '../../model/types.ts';
import { at } from '../model/at.ts';
import { GroupRoll } from './group-roll.ts';
import { askPeople, FOREVER_MS, minorOf, type Run } from './run.ts';
import { withSpareIstiods } from './spare-istiods.ts';

/** workflows/phases/nodes/node-groups.ts */
const PARALLEL_COUNT = 5;
/** A drain that budgets block is tried once more by force; what blocks it then is not of this world. */
const ROUNDS = 3;

export function rollGroups(run: Run, step: PlannedStep, { groups, to, spareIstiod }: Extract<StepParams, { phase: 'node-groups' }>): void {
  const { play } = run;
  withSpareIstiods(play, spareIstiod, () => {
    const forced = new Set<string>();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const failed = rollAll(run, groups, minorOf(to), forced);
      if (failed.length === 0) return;
      const why = `Pods of ${someOf(failed)} cannot be evicted, so EKS ends the update with PodEvictionFailure after 15 minutes`;
      const title = `${step.title} failed: what now?`;
      const first = askPeople(run, step, { title, why, assumed: 'a retry with force' });
      const second = askPeople(run, step, { title: 'Force the update?', why, assumed: 'forced: PodDisruptionBudgets are ignored' });
      play.clock.advance(first + second);
      for (const name of failed) forced.add(name);
    }
  });
}

/** Names of those that failed. After a failure nothing new is started. */
function rollAll({ play }: Run, groups: readonly { name: string }[], minor: number, forced: ReadonlySet<string>): string[] {
  const waiting = groups.map(({ name }) => name);
  const failed: string[] = [];
  let active: { name: string; roll: GroupRoll }[] = [];
  for (;;) {
    for (const { name, roll } of active.filter(({ roll }) => roll.done)) {
      const { failedOn } = roll;
      if (failedOn === undefined) continue;
      failed.push(name);
      const { node, pod, kind: reason, budgets } = failedOn;
      play.ledger.blocked(at(play.nodes.list, node).name, { node, pod, reason, budgets });
    }
    active = active.filter(({ roll }) => !roll.done);
    if (failed.length > 0) waiting.length = 0;
    while (waiting.length > 0 && active.length < PARALLEL_COUNT) {
      const name = waiting.shift() ?? '';
      const index = play.cluster.groups.findIndex((group) => group.name === name && group.owner === 'node-group');
      const shape = play.cluster.groups[index]?.shape;
      if (shape !== undefined) active.push({ name, roll: new GroupRoll(play, index, shape, { minor, force: forced.has(name) }) });
    }
    if (active.length === 0) return failed;
    const running = active;
    if (!play.clock.until(() => running.some(({ roll }) => roll.done), FOREVER_MS)) return failed;
  }
}
