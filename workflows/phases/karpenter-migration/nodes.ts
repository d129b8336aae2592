/** Nodes of Machines stay what they are: they are replaced by nodes of NodePools, in one of three ways that you choose. */
import { CancellationScope } from '@temporalio/workflow';
import { WAYS_TO_MOVE } from '../../../domain/plan/migration/checklist-v1beta1.ts';
import type { MoveNodes } from '../../../domain/policy/policy.ts';
import { KARPENTER_NEWEST_PATCHES } from '../../../domain/tables/karpenter.ts';
import { bringChart, untilController } from './charts.ts';
import {
  chartReason,
  deleteNodes,
  deleteProvisioners,
  machinesStuck,
  noMachineLeft,
  nodesMoved,
  provisionersDeleted,
  provisionersTainted,
  taintRemoved,
} from '../../messages/karpenter/migration.ts';
import { moveNodesGate } from '../../messages/karpenter/migration-gates.ts';
import { isAsked, type MigrationWalk, stepOf } from './walk.ts';

const LEG = 'v1beta1';
const BRIDGE = KARPENTER_NEWEST_PATCHES['0.32'] ?? 'v0.32.10';
type Way = Exclude<MoveNodes, 'ask'>;

/** In the order of WAYS_TO_MOVE. */
const WAYS: readonly Way[] = ['drift', 'cascade', 'by-hand'];

export async function moveNodes(walk: MigrationWalk): Promise<void> {
  const look = await walk.look(LEG);
  const nodes = stepOf(look, 'nodes');
  if (nodes?.state === 'done') return walk.say(noMachineLeft());
  if (nodes?.state !== 'open') throw walk.failed(`Moving the nodes: ${nodes?.seen ?? 'Machines could not be read'}`);
  const { moveNodes: wanted = 'ask' } = walk.params;
  const way = wanted === 'ask' ? await chooseWay(walk, nodes.seen) : wanted;
  let moved = false;
  try {
    await start(walk, way);
    await untilMoved(walk, way === 'by-hand' || isAsked(walk) ? walk.phase.timing.askTimeoutMs : walk.phase.timing.driftTimeoutMs);
    moved = true;
  } finally {
    // With the nodes gone the Provisioners go next, taint and all.
    if (!moved && way !== 'cascade') await giveUp(walk, way);
  }
  walk.say(nodesMoved());
}

async function chooseWay(walk: MigrationWalk, seen: string): Promise<Way> {
  const ways = WAYS_TO_MOVE.map(({ title, how, cost }, index) => ({ id: WAYS[index] ?? 'by-hand', title, how, cost }));
  const choice = await walk.ask('nodes', moveNodesGate(seen, ways));
  return WAYS.find((way) => way === choice) ?? 'by-hand';
}

async function start(walk: MigrationWalk, way: Way): Promise<void> {
  const { phase } = walk;
  if (way === 'cascade') {
    const { deleted, asked } = await phase.activities.quick.deleteAlphaObjects.executeWithOptions(
      { summary: 'Delete the Provisioners with their nodes' },
      [{ cluster: phase.cluster, cascade: true }],
    );
    if (deleted.length > 0) walk.say(provisionersDeleted(deleted));
    if (asked.length > 0) phase.ask(deleteProvisioners(asked, { version: LEG, managedBy: walk.params.managedBy }));
    return;
  }
  if (way === 'drift') {
    const why = chartReason.driftGate();
    await bringChart(walk, { chart: 'karpenter', to: BRIDGE, values: [{ path: ['settings', 'featureGates', 'drift'], value: true }], why });
    await untilController(walk, BRIDGE);
  }
  const { tainted, delivered } = await phase.activities.quick.taintProvisioners.executeWithOptions({ summary: 'Taint the Provisioners' }, [
    { cluster: phase.cluster },
  ]);
  walk.say(provisionersTainted(tainted, delivered));
  if (way === 'by-hand') phase.ask(deleteNodes(LEG));
}

/** Progress is said as it comes; nothing moving for as long as a blocked node may take is a failure. */
async function untilMoved(walk: MigrationWalk, limitMs: number): Promise<void> {
  const { phase } = walk;
  const { driftBlockedAfterMs } = phase.timing;
  let seen = '';
  let stuckMs = 0;
  for (let waitedMs = 0; waitedMs < limitMs; waitedMs += driftBlockedAfterMs) {
    const ended = await walk.wait(LEG, 'nodes', driftBlockedAfterMs);
    if (!ended.timedOut) return;
    stuckMs = ended.seen === seen ? stuckMs + driftBlockedAfterMs : 0;
    seen = ended.seen;
    phase.now(stuckMs === 0 ? seen : machinesStuck(seen));
  }
  throw walk.failed(`Moving the nodes: ${seen}`);
}

async function giveUp(walk: MigrationWalk, way: Way): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    const { untainted } = await walk.phase.activities.owed.untaintProvisioners.executeWithOptions({ summary: 'Take the taint away' }, [
      { cluster: walk.phase.cluster },
    ]);
    if (untainted.length > 0) walk.say(taintRemoved(untainted, way === 'drift'));
  });
}
