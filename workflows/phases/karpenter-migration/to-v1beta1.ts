/** v1alpha5 → v1beta1, in the order of its migration guide: 0.31.4, CRDs and controller of 0.32, new objects beside the old, nodes moved, the old ones away. */
import type { MigrationLook } from '../../../activities/contract/karpenter-migration.ts';
import { KARPENTER_NEWEST_PATCHES } from '../../../domain/tables/karpenter.ts';
import { someOf } from '../../../domain/core/text.ts';
import { bringChart, untilController } from './charts.ts';
import { agreeToBegin } from './gates.ts';
import { moveNodes } from './nodes.ts';
import { isAsked, isDone, type MigrationWalk } from './walk.ts';
import {
  alphaDeleted,
  bridgeRuns,
  bridgeRunsAlready,
  chartReason,
  createNewObjects,
  newObjectsCreated,
  noAlphaLeft,
  removeAlpha,
} from '../../messages/karpenter/migration.ts';
import { leaveAlphaGate, oldLabelsGate } from '../../messages/karpenter/migration-gates.ts';

const LEG = 'v1beta1';
/** The only release to which 0.32 can be rolled back. */
const BEFORE = KARPENTER_NEWEST_PATCHES['0.31'] ?? 'v0.31.4';
/** The only one that serves both APIs. */
const BRIDGE = KARPENTER_NEWEST_PATCHES['0.32'] ?? 'v0.32.10';

/** Lines for the report. */
export async function walkToV1beta1(walk: MigrationWalk): Promise<string[]> {
  const first = await walk.look(LEG);
  if (first.controller === undefined)
    throw walk.failed('Karpenter’s version could not be read', [{ title: 'Unknown', lines: first.unknowns }]);
  if (isDone(first, 'beyond') && isDone(first, 'nodes') && isDone(first, 'old-objects')) {
    walk.say(noAlphaLeft());
    return ['nothing of v1alpha5 was left'];
  }
  const look = await agreeToBegin(walk, LEG, first);
  await bringBridge(walk, look);
  await makeNewObjects(walk);
  await askAboutWorkloads(walk);
  await moveNodes(walk);
  await leaveAlpha(walk);
  return ['no Machine is left; Provisioners and AWSNodeTemplates are deleted'];
}

async function bringBridge(walk: MigrationWalk, look: MigrationLook): Promise<void> {
  if (isDone(look, 'definitions') && isDone(look, 'controller')) return walk.say(bridgeRunsAlready(look.controller ?? BRIDGE));
  if (!isDone(look, 'patch')) {
    const why = chartReason.lastAlpha();
    await bringChart(walk, { chart: 'karpenter', to: BEFORE, why });
    await untilController(walk, BEFORE);
  }
  if (!isDone(look, 'definitions')) {
    const why = chartReason.bothApis();
    await bringChart(walk, { chart: 'karpenter-crd', to: BRIDGE, why });
    await walk.until(LEG, 'definitions', { asked: isAsked(walk), doing: `Waiting for karpenter-crd ${BRIDGE}` });
  }
  const why = chartReason.bridge(BEFORE);
  await bringChart(walk, { chart: 'karpenter', to: BRIDGE, why });
  await untilController(walk, BRIDGE);
  walk.say(bridgeRuns(BRIDGE, BEFORE));
}

/** New pods may land on either; nothing is replaced yet. */
async function makeNewObjects(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  const { created, asked, refused } = await phase.activities.survey.createNewObjects.executeWithOptions(
    { summary: 'NodePools and EC2NodeClasses beside the old objects' },
    [{ cluster: phase.cluster }],
  );
  if (created.length > 0) walk.say(newObjectsCreated(created));
  const open = [...asked, ...refused];
  if (open.length === 0) return;
  phase.ask(createNewObjects(open, { version: LEG, managedBy: walk.params.managedBy }));
  const { left } = await phase.activities.watch.awaitNewObjects.executeWithOptions({ summary: 'Wait for NodePools and EC2NodeClasses' }, [
    phase.target,
  ]);
  if (left.length > 0) throw walk.failed(`Waiting for the new objects: ${someOf(left)}`);
}

/** A pod that selects the old label waits for ever once its node has gone. */
async function askAboutWorkloads(walk: MigrationWalk): Promise<void> {
  for (;;) {
    const { workloads } = await walk.look(LEG);
    if (workloads.length === 0) return;
    if ((await walk.ask('workloads', oldLabelsGate(workloads, walk.rollback))) !== 'look-again') return;
  }
}

async function leaveAlpha(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  await walk.ask('leave-v1alpha5', leaveAlphaGate(BEFORE));
  const { deleted, asked } = await phase.activities.quick.deleteAlphaObjects.executeWithOptions(
    { summary: 'Provisioners and AWSNodeTemplates away' },
    [{ cluster: phase.cluster, cascade: false }],
  );
  if (deleted.length > 0) walk.say(alphaDeleted(deleted));
  if (asked.length === 0) return;
  phase.ask(removeAlpha(asked, { version: LEG, managedBy: walk.params.managedBy }));
  await walk.until(LEG, 'old-objects', { asked: true, doing: 'Waiting until Provisioners and AWSNodeTemplates are gone' });
}
