/** The steps of the plan in their order: the gate before each, then what it does. */
import type { StepParams } from '../../model/step-params.ts';
import type { PlannedStep } from '../../model/types.ts';
import { rollGroups } from './groups.ts';
import { rollKarpenter } from './karpenter-roll.ts';
import { moveOtherNodes } from './other-nodes.ts';
import { askPeople, minorOf, type Run, sampledMs } from './run.ts';

export function walk(run: Run, steps: readonly PlannedStep[]): void {
  const { play } = run;
  const { clock, ledger, services } = play;
  for (const [position, step] of steps.entries()) {
    passGate(run, step, position === 0);
    const startMs = clock.nowMs;
    perform(run, step);
    ledger.steps.push({ startMs, endMs: clock.nowMs });
  }
  ledger.totalMs = clock.nowMs;
  services.end();
}

/** Whoever starts an upgrade is there: the first gate takes no time. */
function passGate(run: Run, step: PlannedStep, isFirst: boolean): void {
  if (step.gate === undefined) return;
  const { title = step.title, why } = step.gate;
  run.play.clock.advance(askPeople(run, step, { title, why, assumed: 'approved', ...(isFirst ? { ms: 0 } : {}) }));
}

function perform(run: Run, step: PlannedStep): void {
  const { play } = run;
  const { params } = step;
  if (params.phase === 'node-groups') return rollGroups(run, step, params);
  if (params.phase === 'karpenter-drift') return rollKarpenter(run, step, params);
  if (params.phase === 'other-nodes') return moveOtherNodes(run, step, params);
  for (const gate of gatesWithin(params)) play.clock.advance(askPeople(run, step, { ...gate, assumed: 'approved' }));
  play.clock.advance(sampledMs(run, step));
  if (params.phase === 'karpenter-migration' || params.phase === 'karpenter-controller') play.karpenter.version = params.to;
  if (params.phase !== 'control-plane') return;
  play.minor = minorOf(params.to);
  play.movedAtMs = play.clock.nowMs;
  beginAutoMode(run);
}

/** That the phase asks by itself, whatever happens. */
function gatesWithin(params: StepParams): { title: string; why: string }[] {
  if (params.phase === 'karpenter-controller' && params.delivery !== undefined)
    return [{ title: `Change Karpenter to ${params.to}?`, why: 'Belay shows what the new version needs first' }];
  if (params.phase !== 'istio') return [];
  return params.canaries.flatMap(({ toRevision, waves, fromRevision }) => [
    ...waves.map((_, wave) => ({
      title: `Istio ${toRevision}: continue after wave ${wave + 1} of ${waves.length}?`,
      why: 'People decide after each wave',
    })),
    { title: `Retire Istio ${fromRevision}?`, why: 'The old revision is removed for good' },
  ]);
}

/** Auto Mode's own pools roll as soon as the control plane has moved (EKS user guide, "Update the Kubernetes Version of an EKS Auto Mode cluster"). */
function beginAutoMode({ play, frozen }: Run): void {
  const pools = play.cluster.pools.flatMap(({ auto, name }, index) => (auto && !frozen.has(name) ? [index] : []));
  if (pools.length === 0) return;
  const old = play.nodes.list.flatMap((node, index) => (pools.includes(node.pool) && node.minor < play.minor ? [index] : []));
  play.karpenter.pace(pools, 'original');
  play.karpenter.drift(play.random.shuffle(old));
}
