/** Nodes of Machines stay what they are: they are replaced by nodes of NodePools, in one of three ways that people choose. */
import { CancellationScope } from '@temporalio/workflow';
import { WAYS_TO_MOVE } from '../../../domain/plan/migration/checklist-v1beta1.ts';
import type { MoveNodes } from '../../../domain/policy/policy.ts';
import { KARPENTER_NEWEST_PATCHES } from '../../../domain/tables/karpenter.ts';
import { someOf } from '../../../domain/core/text.ts';
import type { GateChoice } from '../../../domain/gates/gate.ts';
import { bringChart, untilController } from './charts.ts';
import { REJECT } from './gates.ts';
import { isAsked, type MigrationWalk, stepOf } from './walk.ts';

const LEG = 'v1beta1';
const BRIDGE = KARPENTER_NEWEST_PATCHES['0.32'] ?? 'v0.32.10';
type Way = Exclude<MoveNodes, 'ask'>;

/** In the order of WAYS_TO_MOVE. */
const WAYS: readonly Way[] = ['drift', 'cascade', 'by-hand'];

export async function moveNodes(walk: MigrationWalk): Promise<void> {
  const look = await walk.look(LEG);
  const nodes = stepOf(look, 'nodes');
  if (nodes?.state === 'done') return walk.say('no Machine is left.');
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
  walk.say('no Machine is left: every node belongs to a NodePool.');
}

async function chooseWay(walk: MigrationWalk, seen: string): Promise<Way> {
  const ways = WAYS_TO_MOVE.map(({ title, how, cost }, index) => ({ id: WAYS[index] ?? 'by-hand', title, how, cost }));
  const choices: GateChoice[] = ways.map(({ id, title, cost }) => ({
    id,
    label: title.split(',')[0] ?? title,
    ...(id === 'drift' ? { style: 'primary' as const } : id === 'cascade' ? { style: 'danger' as const, needsReason: true } : {}),
    does: cost,
  }));
  const choice = await walk.ask({
    about: 'nodes',
    title: 'How are the nodes of the Machines replaced?',
    next: 'Nodes of the new NodePools take the pods; the nodes of the Machines go. Drift is not frozen: below 0.34 there are no budgets.',
    evidence: [{ title: seen, lines: ways.map(({ title, how, cost }) => `${title}: ${how} ${cost}`) }],
    undo: 'A node that has gone does not come back; pods run on the new ones. By drift and by hand it can be stopped at any node: the step fails, and Belay takes the taint away.',
    choices: [...choices, REJECT],
  });
  return WAYS.find((way) => way === choice) ?? 'by-hand';
}

async function start(walk: MigrationWalk, way: Way): Promise<void> {
  const { phase } = walk;
  if (way === 'cascade') {
    const { deleted, asked } = await phase.activities.quick.deleteAlphaObjects.executeWithOptions(
      { summary: 'Delete the Provisioners with their nodes' },
      [{ cluster: phase.cluster, cascade: true }],
    );
    if (deleted.length > 0) walk.say(`${someOf(deleted)} deleted: all of their nodes drain now.`);
    if (asked.length > 0)
      phase.ask(
        { component: 'karpenter-manifests', name: 'karpenter-old', version: LEG, managedBy: walk.params.managedBy },
        `Please delete ${someOf(asked)} (kubectl delete provisioner NAME --cascade=foreground does it at once, where Git no longer has it). Belay watches the Machines.`,
      );
    return;
  }
  if (way === 'drift') {
    const why = 'With the drift gate on Karpenter replaces nodes of a tainted Provisioner, one after the other.';
    await bringChart(walk, { chart: 'karpenter', to: BRIDGE, values: [{ path: ['settings', 'featureGates', 'drift'], value: true }], why });
    await untilController(walk, BRIDGE);
  }
  const { tainted, delivered } = await phase.activities.quick.taintProvisioners.executeWithOptions({ summary: 'Taint the Provisioners' }, [
    { cluster: phase.cluster },
  ]);
  walk.say(
    `Provisioners ${someOf(tainted)} have the taint karpenter.sh/legacy=true:NoSchedule.${delivered.length === 0 ? '' : ` ${someOf(delivered)} may put it back: write it in Git as well.`}`,
  );
  if (way === 'by-hand')
    phase.ask(
      { component: 'karpenter-manifests', name: 'karpenter-nodes', version: LEG, managedBy: 'manual' },
      'Please delete the nodes of the Machines one by one (kubectl delete node NAME): Karpenter drains each. Belay counts the Machines and continues by itself once none is left.',
    );
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
    phase.now(stuckMs === 0 ? seen : `${seen} None has gone for a while: look for pods that cannot be evicted (kubectl describe node).`);
  }
  throw walk.failed(`Moving the nodes: ${seen}`);
}

async function giveUp(walk: MigrationWalk, way: Way): Promise<void> {
  await CancellationScope.nonCancellable(async () => {
    const { untainted } = await walk.phase.activities.owed.untaintProvisioners.executeWithOptions({ summary: 'Take the taint away' }, [
      { cluster: walk.phase.cluster },
    ]);
    if (untainted.length > 0)
      walk.say(
        `the taint is taken away from Provisioners ${someOf(untainted)}: no further node is replaced for it.${way === 'drift' ? ' The drift gate is on still (settings.featureGates.drift).' : ''}`,
      );
  });
}
