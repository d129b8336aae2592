/** Nodes that neither EKS's updates nor Karpenter replace: Auto Mode's own, pods on Fargate, groups of one's own. */
import { usually } from '../measure/usual.ts';
import type { StepParams } from '../../model/step-params.ts';
import type { PlannedStep } from '../../model/types.ts';
import { at } from '../model/at.ts';
import { GONE } from '../play/nodes.ts';
import { BlockedNodes } from './blocked.ts';
import { GroupRoll } from './group-roll.ts';
import { askPeople, FOREVER_MS, minorOf, type Run } from './run.ts';
import { withSpareIstiods } from './spare-istiods.ts';

type Params = Extract<StepParams, { phase: 'other-nodes' }>;

export function moveOtherNodes(run: Run, step: PlannedStep, params: Params): void {
  const { play } = run;
  const to = minorOf(params.to);
  if (params.autoMode !== undefined) awaitAutoMode(run, step, to, params.autoMode.frozenPools);
  if (params.fargate !== undefined) {
    // One namespace after the other, each by the rollouts of its workloads.
    const rollouts = Math.max(1, params.fargate.namespaces.length);
    play.clock.advance(rollouts * usually(run.policy.timing, 'rolloutMs') * play.random.factor(0.3));
    play.ledger.replace('fargate', 'Fargate', params.fargate.podCount);
  }
  if (params.selfManaged !== undefined) moveSelfManaged(run, step, to, params.selfManaged);
}

/** EKS has begun when the control plane moved. */
function awaitAutoMode(run: Run, step: PlannedStep, to: number, frozen: readonly string[]): void {
  const { play } = run;
  const pools = play.cluster.pools.flatMap(({ name, auto }, index) => (auto && !frozen.includes(name) ? [index] : []));
  const old = play.nodes.list.flatMap((node, index) => (pools.includes(node.pool) && node.minor < to ? [index] : []));
  const left = (): number[] => old.filter((index) => at(play.nodes.list, index).state !== GONE && !blocked.skipped.has(index));
  const blocked: BlockedNodes = new BlockedNodes(run, step, left);
  play.clock.until(() => left().length === 0, FOREVER_MS);
  blocked.end();
}

/** By instance refreshes, or by people, who are taken to do the same. */
function moveSelfManaged(run: Run, step: PlannedStep, minor: number, { groups, refresh }: NonNullable<Params['selfManaged']>): void {
  const { play } = run;
  const healthy = refresh?.minHealthyPercent ?? 100;
  withSpareIstiods(play, refresh?.spareIstiod, () => {
    for (const [index, group] of play.cluster.groups.entries()) {
      if (group.owner !== 'self-managed' || group.shape === undefined) continue;
      const { name } = groups.find((each) => each.name.includes(group.name)) ?? group;
      play.clock.advance(
        refresh === undefined
          ? askPeople(run, step, {
              title: `Replace the nodes of ${name}`,
              why: 'Belay does not replace them',
              assumed: 'somebody begins at once',
            })
          : askPeople(run, step, { title: `Refresh ${name}?`, why: 'Belay shows what it changes first', assumed: 'approved' }),
      );
      const maxUnavailable = Math.max(1, Math.floor((group.desired * (100 - healthy)) / 100));
      const roll = new GroupRoll(play, index, group.shape, { minor, force: true, surge: healthy === 100 ? 1 : 0, maxUnavailable });
      play.clock.until(() => roll.done, FOREVER_MS);
    }
  });
}
