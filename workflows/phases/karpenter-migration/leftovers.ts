/** What 1.0 leaves to be done: webhooks that nobody answers, kubelet settings, manifests, stored versions; and whether all is as it was. */
import { someOf } from '../../../domain/core/text.ts';
import type { MigrationWalk } from './walk.ts';
import {
  kubeletsMoved,
  manifestsMerged,
  mergeManifests,
  migrated,
  objectsRewritten,
  verifyingDrift,
  waitingForStorage,
  webhooksDeleted,
} from '../../messages/karpenter/migration.ts';
import { notAsBeforeGate } from '../../messages/karpenter/migration-gates.ts';

const LEG = 'v1';

export async function cleanUp(walk: MigrationWalk): Promise<string[]> {
  await removeWebhooks(walk);
  await manifests(walk);
  await store(walk);
  await claims(walk);
  await asBefore(walk);
  walk.say(migrated());
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
  if (removed.length > 0) walk.say(webhooksDeleted(removed));
  if (kept.length > 0)
    throw walk.failed(
      `Webhooks of Karpenter 0.3x are left, and nothing answers them: ${someOf(kept)}. Their owner must remove them (webhook.enabled of an old release?), or writes to NodePools fail`,
    );
}

/** Through the owner; where there is none, Belay moves the settings itself. */
async function manifests(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  const { moved, asked, refused, old } = await phase.activities.survey.moveKubelets.executeWithOptions(
    { summary: 'Kubelet settings to the EC2NodeClasses' },
    [{ cluster: phase.cluster }],
  );
  if (moved.length > 0) walk.say(kubeletsMoved(moved));
  const open = [...old, ...asked, ...refused];
  if (open.length === 0) return;
  phase.ask(mergeManifests(open, { version: LEG, managedBy: walk.params.managedBy }));
  const { left } = await phase.activities.watch.awaitManifests.executeWithOptions({ summary: 'Wait for manifests of v1' }, [phase.target]);
  if (left.length > 0) throw walk.failed(`Waiting for manifests of v1: ${someOf(left)}`);
  walk.say(manifestsMerged());
}

/** 1.0.6 and later do it by themselves; where they do not, Belay rewrites the objects. */
async function store(walk: MigrationWalk): Promise<void> {
  const { phase } = walk;
  phase.now(waitingForStorage());
  const ended = await walk.wait(LEG, 'stored', phase.timing.rolloutTimeoutMs);
  if (!ended.timedOut) return;
  const { rewritten } = await phase.activities.survey.storeAsV1.executeWithOptions({ summary: 'Store every object as v1' }, [
    { cluster: phase.cluster },
  ]);
  await walk.until(LEG, 'stored', { asked: false, doing: 'Storing Karpenter’s objects as v1' });
  walk.say(objectsRewritten(rewritten));
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
    phase.now(verifyingDrift());
    const { troubles } = await phase.activities.watch.verifyKarpenter.executeWithOptions({ summary: 'Has it left everything as it was?' }, [
      { ...phase.target, driftedCount, watchMs: phase.timing.waveBakeMs },
    ]);
    if (troubles.length === 0) return;
    if ((await walk.ask('drift', notAsBeforeGate(troubles, walk.rollback))) !== 'look-again') return;
  }
}
