/** What 1.0 leaves to be done: webhooks that nobody answers, kubelet settings, manifests, stored versions; and whether all is as it was. */
import { someOf } from '../../../domain/core/text.ts';
import { AGAIN, REJECT } from './gates.ts';
import type { MigrationWalk } from './walk.ts';
import { CHOICES } from '../../gates/choices.ts';

const LEG = 'v1';

export async function cleanUp(walk: MigrationWalk): Promise<string[]> {
  await removeWebhooks(walk);
  await manifests(walk);
  await store(walk);
  await claims(walk);
  await asBefore(walk);
  walk.say('its objects are of v1, and stored as v1. Keep the conversion webhooks on until 1.1 runs.');
  return [
    'conversion answers, storedVersions ["v1"], kubelet settings in the EC2NodeClasses',
    'no more NodeClaims are drifted than before',
  ];
}

async function removeWebhooks(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  const { removed, kept } = await phase.activities.quick.removeOldWebhooks.executeWithOptions(
    { summary: 'Leftover webhooks of 0.3x away' },
    [{ cluster: phase.cluster }],
  );
  if (removed.length > 0) walk.say(`${someOf(removed)} of 0.3x belonged to nobody and answered no more: deleted.`);
  if (kept.length > 0)
    throw walk.failed(
      `Webhooks of Karpenter 0.3x are left, and nothing answers them: ${someOf(kept)}. Whoever owns them has to take them away (webhook.enabled of an old release?), or writes to NodePools fail`,
    );
}

/** Through the owner; where there is none, Belay moves the settings itself. */
async function manifests(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  const { moved, asked, refused, old } = await phase.activities.survey.moveKubelets.executeWithOptions(
    { summary: 'Kubelet settings to the EC2NodeClasses' },
    [{ cluster: phase.cluster }],
  );
  if (moved.length > 0) walk.say(`kubelet settings of NodePools ${someOf(moved)} stand in their EC2NodeClasses; the annotation is gone.`);
  const open = [...old, ...asked, ...refused];
  if (open.length === 0) return;
  phase.ask(
    { component: 'karpenter-manifests', name: 'karpenter', version: LEG, managedBy: walk.params.managedBy },
    'Please merge Karpenter’s manifests as v1: belay migrate karpenter --dir CHECKOUT --write changes them, with the reason of each change. ' +
      `Open: ${someOf(open, 8)}. Kubelet settings go to the EC2NodeClass first; Belay then takes the annotation from the NodePool. It continues by itself.`,
  );
  const { left } = await phase.activities.watch.awaitManifests.executeWithOptions({ summary: 'Wait for manifests of v1' }, [phase.target]);
  if (left.length > 0) throw walk.failed(`Waiting for manifests of v1: ${someOf(left)}`);
  walk.say('manifests are of v1, kubelet settings stand in the EC2NodeClasses alone.');
}

/** 1.0.6 and later do it by themselves; where that does not come, Belay writes the objects anew. */
async function store(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  phase.now('Waiting until every object is stored as v1.');
  const ended = await walk.wait(LEG, 'stored', phase.timing.rolloutTimeoutMs);
  if (!ended.timedOut) return;
  const { rewritten } = await phase.activities.survey.storeAsV1.executeWithOptions({ summary: 'Store every object as v1' }, [
    { cluster: phase.cluster },
  ]);
  await walk.until(LEG, 'stored', { asked: false, doing: 'Storing Karpenter’s objects as v1' });
  walk.say(`its objects were not stored as v1 by themselves: Belay wrote ${rewritten} of them anew.`);
}

async function claims(walk: MigrationWalk): Promise<void> {
  const { incomplete } = await walk.look(LEG);
  if (incomplete.length === 0) return;
  throw walk.failed(
    `NodeClaims ${someOf(incomplete)} have no group or kind in their nodeClassRef, and 1.1 would not manage them. They cannot be edited: delete them one by one, Karpenter replaces their nodes, then retry`,
  );
}

/** Under the freeze still: nothing has been replaced yet. */
async function asBefore(walk: MigrationWalk): Promise<void> {
  const { phase, driftedBefore: driftedCount = 0 } = walk;
  for (;;) {
    phase.now('Watching that Karpenter marks no more nodes for replacement than before.');
    const { troubles } = await phase.activities.watch.verifyKarpenter.executeWithOptions({ summary: 'Has it left everything as it was?' }, [
      { ...phase.target, driftedCount, watchMs: phase.timing.waveBakeMs },
    ]);
    if (troubles.length === 0) return;
    const choice = await walk.ask({
      about: 'drift',
      title: 'Karpenter’s API is of v1, but not all is as it was. Go on?',
      next: 'The freeze of this step is lifted: Karpenter replaces what it has marked, within the budgets that were there before.',
      evidence: [{ title: 'Seen', lines: troubles.slice(0, 5) }],
      choices: [{ ...CHOICES.approve, label: 'Go on', needsReason: true }, AGAIN, REJECT],
    });
    if (choice !== 'look-again') return;
  }
}
