/** v1alpha5 → v1beta1, in the order of its migration guide: 0.31.4, CRDs and controller of 0.32, new objects beside the old, nodes moved, the old ones away. */
import type { MigrationLook } from '../../../activities/contract/karpenter-migration.ts';
import { KARPENTER_NEWEST_PATCHES } from '../../../domain/tables/karpenter.ts';
import { someOf } from '../../../domain/core/text.ts';
import { bringChart, untilController } from './charts.ts';
import { AGAIN, agreeToBegin, REJECT } from './gates.ts';
import { moveNodes } from './nodes.ts';
import { isAsked, isDone, type MigrationWalk } from './walk.ts';
import { CHOICES } from '../../gates/choices.ts';

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
    walk.say('nothing of v1alpha5 is left.');
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
  if (isDone(look, 'definitions') && isDone(look, 'controller'))
    return walk.say(`${look.controller ?? BRIDGE} runs, which sees both APIs.`);
  if (!isDone(look, 'patch')) {
    const why = `Only to ${BEFORE} or a later patch can 0.32 be rolled back.`;
    await bringChart(walk, { chart: 'karpenter', to: BEFORE, why });
    await untilController(walk, BEFORE);
  }
  if (!isDone(look, 'definitions')) {
    const why = 'It has the CRDs of both APIs; they come before the controller.';
    await bringChart(walk, { chart: 'karpenter-crd', to: BRIDGE, why });
    await walk.until(LEG, 'definitions', { asked: isAsked(walk), doing: `Waiting for karpenter-crd ${BRIDGE}` });
  }
  const why = `It is the only one that sees both APIs. Back from it: NodePools and EC2NodeClasses away first, then ${BEFORE}.`;
  await bringChart(walk, { chart: 'karpenter', to: BRIDGE, why });
  await untilController(walk, BRIDGE);
  walk.say(`${BRIDGE} runs and sees both APIs. Back from here only to ${BEFORE}, with the new NodePools and EC2NodeClasses removed first.`);
}

/** New pods may land on either; nothing is replaced yet. */
async function makeNewObjects(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  const { created, asked, refused } = await phase.activities.survey.createNewObjects.executeWithOptions(
    { summary: 'NodePools and EC2NodeClasses beside the old objects' },
    [{ cluster: phase.cluster }],
  );
  if (created.length > 0) walk.say(`${someOf(created)} made from the Provisioners and AWSNodeTemplates of the same names.`);
  const open = [...asked, ...refused];
  if (open.length === 0) return;
  phase.ask(
    { component: 'karpenter-manifests', name: 'karpenter', version: LEG, managedBy: walk.params.managedBy },
    `Please create these beside the old objects, under the same names: ${someOf(open, 6)}. belay migrate karpenter --dir CHECKOUT --to ${LEG} writes them, with the reason of each change. Belay continues by itself once they are there.`,
  );
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
    const choice = await walk.ask({
      about: 'workloads',
      title: 'Workloads still name Karpenter’s old labels. Move the nodes all the same?',
      next: 'The nodes are moved; pods that select karpenter.sh/provisioner-name stay Pending, since no new node has it.',
      evidence: [
        {
          title: 'They use karpenter.sh/provisioner-name or do-not-evict',
          lines: [
            ...workloads,
            'Write karpenter.sh/nodepool and karpenter.sh/do-not-disrupt instead (belay migrate karpenter shows where), then Look again',
          ],
        },
      ],
      choices: [
        { ...AGAIN, style: 'primary' },
        { ...CHOICES.approve, style: undefined, label: 'Move all the same', needsReason: true },
        REJECT,
      ],
    });
    if (choice !== 'look-again') return;
  }
}

async function leaveAlpha(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  await walk.ask({
    about: 'leave-v1alpha5',
    title: 'Delete the Provisioners and AWSNodeTemplates, and leave v1alpha5 for good?',
    next: 'No Machine is left, so no node goes with them. Karpenter then goes to a version that no longer sees v1alpha5.',
    evidence: [{ title: 'Seen', lines: ['0 Machines: every node belongs to a NodePool'] }],
    undo: `Until you approve: back to ${BEFORE}, with NodePools and EC2NodeClasses removed first. Afterwards there is no way back to v1alpha5.`,
    choices: [CHOICES.approve, REJECT],
  });
  const { deleted, asked } = await phase.activities.quick.deleteAlphaObjects.executeWithOptions(
    { summary: 'Provisioners and AWSNodeTemplates away' },
    [{ cluster: phase.cluster, cascade: false }],
  );
  if (deleted.length > 0) walk.say(`${someOf(deleted)} deleted; no node went with them.`);
  if (asked.length === 0) return;
  phase.ask(
    { component: 'karpenter-manifests', name: 'karpenter-old', version: LEG, managedBy: walk.params.managedBy },
    `Please remove these, which nothing uses any more: ${someOf(asked)}. Belay continues by itself once they are gone.`,
  );
  await walk.until(LEG, 'old-objects', { asked: true, doing: 'Waiting until Provisioners and AWSNodeTemplates are gone' });
}
