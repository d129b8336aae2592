/** The roll of Karpenter's nodes: paces one after the other, waves with a bake between them, and nodes that people decide about. */
import { agree, capital, duration, someOf } from '../../../core/text.ts';
import { stopsDriftForGood } from '../../../facts/node-classes.ts';
import type { StepParams } from '../../model/step-params.ts';
import type { PlannedStep } from '../../model/types.ts';
import { at } from '../model/at.ts';
import type { Pool } from '../model/cluster.ts';
import { GONE } from '../play/nodes.ts';
import { BlockedNodes } from './blocked.ts';
import { askPeople, minorOf, type Run } from './run.ts';
import { withSpareIstiods } from './spare-istiods.ts';
import { wavesOf } from './waves.ts';

type Params = Extract<StepParams, { phase: 'karpenter-drift' }>;

/** From the end of the control plane's update until Karpenter has found the new images and marked its nodes: often under a minute. */
const NOTICED_MS = 60_000;

export function rollKarpenter(run: Run, step: PlannedStep, params: Params): void {
  const { play } = run;
  const to = minorOf(params.to);
  const pools = params.nodePools.filter((name) => params.pinnedPools?.includes(name) !== true);
  const indices = pools.map((name) => play.cluster.pools.findIndex((pool) => pool.name === name)).filter((index) => index >= 0);
  const old = play.nodes.list.flatMap((node, index) => (isOld(node, to) && indices.includes(node.pool) ? [index] : []));
  before(run, step, params);
  withSpareIstiods(play, params.spareIstiod, () => roll(run, step, { params, indices, old, to }));
}

const isOld = ({ minor, state }: { minor: number; state: number }, to: number): boolean => state !== GONE && minor < to;

/** Edits of node classes that others merge, and releases that are waited for. */
function before(run: Run, step: PlannedStep, { unpromoted = [], moves = [], to }: Params): void {
  const { clock } = run.play;
  if (unpromoted.length > 0) {
    clock.advance(
      askPeople(run, step, {
        title: 'Wait for an AMI release to promote?',
        why: `No release has baked for ${unpromoted.map(({ nodeClass }) => nodeClass).join(', ')}`,
        assumed: 'the roll continues without it',
      }),
    );
  }
  if (moves.some(({ owner }) => owner !== undefined)) {
    clock.advance(
      askPeople(run, step, { title: `Merge the AMIs of ${to}`, why: 'Node classes are kept as code', assumed: 'the change is merged' }),
    );
  }
}

interface Rolling {
  params: Params;
  indices: number[];
  old: readonly number[];
  to: number;
}

function roll(run: Run, step: PlannedStep, { params, indices, old, to }: Rolling): void {
  const { play, policy } = run;
  const { nodes, karpenter, clock } = play;
  const waves = run.waves ?? params.waves;
  const waiting = new Set<number>();
  const plan = waves === undefined ? [] : wavesOf(play, old, waves);
  for (const wave of plan)
    for (const index of wave.nodes)
      if (!at(nodes.list, index).held) {
        at(nodes.list, index).held = true;
        waiting.add(index);
      }
  // Nodes of the pools that came meanwhile with old images roll as well.
  const isLeft = (index: number): boolean => isOld(at(nodes.list, index), to) && !blocked.skipped.has(index) && !waiting.has(index);
  const left = (): number[] => old.filter(isLeft);
  // Asked at every event: what is not left any more stays so, within a wave.
  let first = 0;
  const isOver = (): boolean => {
    while (first < old.length && !isLeft(at(old, first))) first += 1;
    return first === old.length;
  };
  const paces = new Paces(run, params, indices);
  clock.advance(Math.max(0, play.movedAtMs + NOTICED_MS - clock.nowMs));
  const blocked: BlockedNodes = new BlockedNodes(run, step, left);
  askAboutShutPools(run, step, { old, indices, skipped: blocked.skipped });
  karpenter.drift(play.random.shuffle([...old]));
  paces.begin();
  for (const [index, wave] of plan.entries()) {
    for (const node of wave.nodes) if (waiting.delete(node)) at(nodes.list, node).held = false;
    karpenter.changed();
    first = 0;
    untilOver(run, step, isOver, left);
    const next = plan[index + 1];
    if (next === undefined) continue;
    clock.advance(policy.timing.waveBakeMs);
    if (waves?.gate !== true) continue;
    const where = { zone: 'zone ', nodepool: 'NodePool ', count: 'wave ' }[waves.by];
    const title = `Continue with the next wave of nodes?`;
    const why = `${capital(where)}${wave.name} is done; belay.yaml asks between waves`;
    clock.advance(askPeople(run, step, { title, why, assumed: 'approved' }));
  }
  first = 0;
  untilOver(run, step, isOver, left);
  paces.end();
  blocked.end();
}

/** Pools whose own budget lets no node drift, ever: named as nodes that cannot be replaced (activities/karpenter/drift/pool-holds.ts), while the others roll. */
function askAboutShutPools(
  run: Run,
  step: PlannedStep,
  { old, indices, skipped }: { old: readonly number[]; indices: readonly number[]; skipped: Set<number> },
): void {
  const { play, policy } = run;
  const { list } = play.nodes;
  const shut = indices.filter((pool) => old.some((node) => at(list, node).pool === pool) && isShut(at(play.cluster.pools, pool)));
  if (shut.length === 0) return;
  const names = shut.map((pool) => at(play.cluster.pools, pool).name);
  const { driftBlockedAfterMs, driftNamedAfterMs = driftBlockedAfterMs } = policy.timing;
  play.clock.after(Math.min(driftBlockedAfterMs, driftNamedAfterMs), () => {
    const why = `${someOf(names)} ${agree(names.length, 'lets', 'let')} Karpenter replace no node: a budget for drift is 0`;
    const ms = askPeople(run, step, { title: 'Nodes cannot be replaced: what now?', why, assumed: 'the nodes are skipped' });
    play.clock.after(ms, () => {
      for (const node of old) if (shut.includes(at(list, node).pool)) skipped.add(node);
    });
  });
}

const isShut = ({ budgets }: Pool): boolean => budgets.some(({ nodes = '10%', ...budget }) => stopsDriftForGood({ ...budget, nodes }));

/** Belay gives a roll up that takes too long, and asks; a retry goes on where it was, and one that has replaced nothing is not tried again. */
function untilOver(run: Run, step: PlannedStep, isOver: () => boolean, left: () => readonly number[]): void {
  const { clock } = run.play;
  const { driftTimeoutMs } = run.policy.timing;
  for (let before = Number.POSITIVE_INFINITY; !clock.until(isOver, driftTimeoutMs); before = left().length) {
    const isStuck = left().length >= before;
    const why = `Nodes are not replaced within ${duration(driftTimeoutMs)}`;
    const assumed = isStuck ? 'the step is skipped' : 'a retry';
    clock.advance(askPeople(run, step, { title: `${step.title} failed: what now?${isStuck ? ' (again)' : ''}`, why, assumed }));
    if (isStuck) return;
  }
}

/** The plan's paces one after the other, each watched for a while; the last until the end. */
class Paces {
  readonly #run: Run;
  readonly #paces: readonly string[];
  readonly #pools: readonly number[];
  #over = false;

  constructor(run: Run, { paces }: Params, pools: readonly number[]) {
    this.#run = run;
    this.#paces = run.pace === undefined ? paces : [run.pace];
    this.#pools = pools;
  }

  begin(index = 0): void {
    const { play, policy } = this.#run;
    play.karpenter.pace(this.#pools, this.#paces[index] ?? 'original');
    if (index >= this.#paces.length - 1) return;
    play.clock.after(policy.timing.paceStepMs, () => {
      if (!this.#over) this.begin(index + 1);
    });
  }

  /** The freeze is lifted: the pool's own budgets hold. */
  end(): void {
    this.#over = true;
    this.#run.play.karpenter.pace(this.#pools, 'original');
  }
}
