/** An instance refresh made at most once: looked for first, adopted where it runs to the same template version, and watched to its end. */
import type { InstanceRefresh } from '@aws-sdk/client-auto-scaling';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { noteDifferences } from '../../clients/side-effects/recorder.ts';
import { describeBlocker } from '../../kubernetes/drain/describe-blocker.ts';
import type { Hold } from '../../kubernetes/drain/draining-nodes.ts';
import { ASKED_AT_ONCE, AskedNodes } from '../../kubernetes/drain/nodes-in-gate.ts';
import type { BlockedNode } from '../../contract/karpenter.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { during, failureOf, failureType } from '../../runtime/translate-errors.ts';
import { FOR_EVER_MS, waitUntil } from '../../runtime/wait-until.ts';
import { findRefresh, runningRefresh, signalled } from './group-calls.ts';
import type { RefreshOutcome, RefreshProgress, SelfManagedActivities } from '../../contract/self-managed.ts';
import { drainHeld } from './drain-instances.ts';
import { findNotJoined, notJoinedText } from './joined-instances.ts';
import { readVersion } from './examine.ts';
import { eksNameOf } from '../../../domain/core/cluster-ref.ts';
import { count } from '../../../domain/core/text.ts';

type StartInput = Parameters<SelfManagedActivities['startInstanceRefresh']>[0];
type WatchInput = Parameters<SelfManagedActivities['watchInstanceRefresh']>[0];

/** People are told of steps of so many per cent. */
const TOLD_PERCENT = 10;

export async function addVersion(clients: AccountClients, input: Parameters<SelfManagedActivities['addTemplateVersion']>[0]) {
  const { version, adopted } = await findOrAddVersion(clients, input);
  if (version !== input.source) await compareWithSource(clients, input, version);
  return { version, adopted };
}

/**
 * The new version has what its source has, "If you specify additional launch parameters for the new version, they overwrite any corresponding launch
 * parameters inherited from the source version"; but "Snapshots applied to the block device mapping are ignored when creating a new version unless they
 * are explicitly included" (EC2 API reference, CreateLaunchTemplateVersion, SourceVersion).
 */
async function compareWithSource(
  clients: AccountClients,
  { cluster, templateId, source }: Parameters<SelfManagedActivities['addTemplateVersion']>[0],
  version: string,
): Promise<void> {
  const [before, after] = [await readVersion(clients, templateId, source), await readVersion(clients, templateId, version)];
  if (before === undefined || after === undefined) return;
  noteDifferences({
    resource: { eks: 'launch-template', cluster: eksNameOf(cluster), name: templateId },
    during: `version ${version} of launch template ${templateId}, made of version ${source}`,
    before: before.LaunchTemplateData,
    after: after.LaunchTemplateData,
    declared: [['ImageId']],
  });
}

async function findOrAddVersion(
  clients: AccountClients,
  input: Parameters<SelfManagedActivities['addTemplateVersion']>[0],
): Promise<{ version: string; adopted: boolean }> {
  const { templateId, source, image, to, token } = input;
  const description = `Nodes of Kubernetes ${to}, by Belay`;
  for (const known of [await readVersion(clients, templateId, source), await readVersion(clients, templateId, '$Latest')]) {
    const isOurs = String(known?.VersionNumber) === source || known?.VersionDescription === description;
    if (known?.VersionNumber !== undefined && known.LaunchTemplateData?.ImageId === image && isOurs)
      return { version: String(known.VersionNumber), adopted: true };
  }
  return await during(`adding a version to launch template ${templateId}`, async () => {
    const ec2 = await clients.ec2();
    const { LaunchTemplateVersion: made } = await ec2.createLaunchTemplateVersion(
      {
        LaunchTemplateId: templateId,
        SourceVersion: source,
        VersionDescription: description,
        LaunchTemplateData: { ImageId: image },
        ClientToken: token,
      },
      signalled(),
    );
    if (made?.VersionNumber === undefined)
      throw failureOf('Unavailable', `adding a version to launch template ${templateId}: EC2 answered without one`);
    return { version: String(made.VersionNumber), adopted: false };
  });
}

export async function startRefresh(clients: AccountClients, input: StartInput): Promise<{ refreshId: string; adopted: boolean }> {
  const known = await adopted(clients, input);
  if (known !== undefined) return known;
  const { group } = input;
  try {
    return await during(`starting the instance refresh of ${group}`, async () => {
      const autoScaling = await clients.autoScaling();
      const { InstanceRefreshId: refreshId } = await autoScaling.startInstanceRefresh(requestOf(input), signalled());
      if (refreshId === undefined)
        throw failureOf('Unavailable', `starting the instance refresh of ${group}: Auto Scaling answered without an id`);
      return { refreshId, adopted: false };
    });
  } catch (error) {
    // Ours, of an attempt whose answer was lost, or somebody else was faster.
    const meanwhile = failureType(error) === 'ResourceInUse' ? await adopted(clients, input) : undefined;
    if (meanwhile !== undefined) return meanwhile;
    throw error;
  }
}

/** Nodes are launched before others end, and the first one is watched before the rest follows. What is at the version already stays. */
function requestOf({ group, size, template, minHealthyPercent, checkpointDelayMs }: StartInput) {
  const checkpoint =
    size < 2
      ? {}
      : { CheckpointPercentages: [Math.max(1, Math.floor(100 / size)), 100], CheckpointDelay: Math.round(checkpointDelayMs / 1_000) };
  return {
    AutoScalingGroupName: group,
    Strategy: 'Rolling' as const,
    ...(template === undefined
      ? {}
      : { DesiredConfiguration: { LaunchTemplate: { LaunchTemplateId: template.id, Version: template.version } } }),
    Preferences: {
      MinHealthyPercentage: minHealthyPercent,
      ...(minHealthyPercent === 100 ? { MaxHealthyPercentage: 110 } : {}),
      SkipMatching: true,
      ...checkpoint,
    },
  };
}

/** The refresh that runs to the same version. Throws ResourceInUse where another one runs. */
async function adopted(
  clients: AccountClients,
  { group, template }: StartInput,
): Promise<{ refreshId: string; adopted: boolean } | undefined> {
  const running = await runningRefresh(clients, group);
  if (running?.InstanceRefreshId === undefined) return undefined;
  const wanted = running.DesiredConfiguration?.LaunchTemplate;
  const isSame = wanted?.LaunchTemplateId === template?.id && wanted?.Version === template?.version;
  const goesOn = running.Status === 'Pending' || running.Status === 'InProgress' || running.Status === 'Baking';
  if (isSame && goesOn) return { refreshId: running.InstanceRefreshId, adopted: true };
  const what = wanted?.Version === undefined ? 'to its own launch template' : `to version ${wanted.Version} of its launch template`;
  throw failureOf(
    'ResourceInUse',
    `starting the instance refresh of ${group}: another one is ${running.Status ?? 'there'}, ${what}; let it end, then retry`,
  );
}

export async function watchRefresh(clients: AccountClients, kubernetes: KubernetesPort, input: WatchInput): Promise<RefreshOutcome> {
  const { timing, group, refreshId, drain, template, told, ownerKeys, asked = [], heldMs = {}, timeoutMs = FOR_EVER_MS } = input;
  const askedAbout = new AskedNodes(asked, timing.driftBlockedAfterMs);
  /** Since when each node has been held by the same thing, by the watch's own time. */
  let heldSince = new Map(Object.entries(heldMs).map(([key, ms]) => [key, -ms]));
  let progress: RefreshProgress = { percent: told, leftCount: 0 };
  const result = await waitUntil<RefreshOutcome>(
    { timing, timeoutMs, doing: `watching the instance refresh of ${group}`, details: () => ({ ...progress }) },
    async (elapsedMs) => {
      const refresh = await findRefresh(clients, group, refreshId);
      const missing = template === undefined ? [] : await findNotJoined(clients, kubernetes, group, template);
      // Once it is stopped or goes back, what is held can only end.
      const isPaused = missing.length > 0 && goesForward(refresh);
      const { heldCount, draining, holds } = drain
        ? await drainHeld(clients, kubernetes, group, isPaused)
        : { heldCount: 0, draining: [], holds: [] };
      const keys = [...holds.map(keyOf), ...missing.map(joinKey)];
      heldSince = new Map(keys.map((key) => [key, heldSince.get(key) ?? elapsedMs]));
      const sinceMs = (key: string): number => elapsedMs - (heldSince.get(key) ?? elapsedMs);
      const late = missing.filter((instance) => sinceMs(joinKey(instance)) >= timing.driftBlockedAfterMs);
      if (late.length > 0 && isPaused) await stopRefresh(clients, group, 'cancel');
      const ended = endOf(refresh);
      // Its last instances may still be on their way out, or in.
      const isOver = heldCount === 0 && (ended?.kind !== 'done' || missing.length === 0 || late.length > 0);
      if (ended !== undefined && isOver) return { done: true, value: withMissing(ended, missing) };
      progress = { percent: refresh?.PercentageComplete ?? 0, leftCount: refresh?.InstancesToUpdate ?? 0 };
      const forMs = (hold: Hold): number => sinceMs(keyOf(hold));
      const overdueMs = (hold: Hold): number =>
        forMs(hold) - (hold.lasting ? (timing.driftNamedAfterMs ?? timing.driftBlockedAfterMs) : timing.driftBlockedAfterMs);
      const due = holds
        .filter((hold) => overdueMs(hold) >= 0 || askedAbout.names.has(hold.node.name))
        .toSorted((one, other) => overdueMs(other) - overdueMs(one))
        .slice(0, ASKED_AT_ONCE);
      const news = askedAbout.compare(
        due.map(({ node }) => node.name),
        new Set(draining),
        elapsedMs,
      );
      const goesOn = { ...progress, heldMs: Object.fromEntries(keys.map((key) => [key, sinceMs(key)])) };
      if (news === 'freed' && !isPaused) return { done: true, value: { kind: 'freed', ...goesOn } };
      if (news === 'changed') {
        const nodes: BlockedNode[] = [];
        for (const hold of due) nodes.push({ ...(await describeBlocker(kubernetes, hold, forMs(hold), ownerKeys)), leaving: true });
        const [node, ...more] = nodes;
        if (node !== undefined) return { done: true, value: { kind: 'blocked', node, ...(more.length === 0 ? {} : { more }), ...goesOn } };
      }
      if (progress.percent >= told + TOLD_PERCENT) return { done: true, value: { kind: 'progress', ...goesOn } };
      return { done: false, note: `${progress.percent} %, ${count(progress.leftCount, 'instance')} left` };
    },
  );
  return result.kind === 'done' ? result.value : { kind: 'timed-out', why: result.lastNote ?? 'it has not ended' };
}

const keyOf = ({ node, key }: Hold): string => `${node.name} ${key}`;
const joinKey = (instance: string): string => `${instance} joins`;

const goesForward = (refresh: InstanceRefresh | undefined): boolean =>
  refresh?.Status === 'Pending' || refresh?.Status === 'InProgress' || refresh?.Status === 'Baking';

/** Auto Scaling calls it Successful although new instances are no nodes, and may say nothing about them where it ends otherwise. */
function withMissing(ended: RefreshOutcome, missing: readonly string[]): RefreshOutcome {
  if (missing.length === 0 || (ended.kind !== 'done' && ended.kind !== 'ended')) return ended;
  const why = notJoinedText(missing);
  if (ended.kind === 'done') return { kind: 'ended', status: 'Successful', why };
  const own = ended.status === 'Failed' && ended.why !== '' ? ` (Auto Scaling says: ${ended.why})` : '';
  return { ...ended, why: `${why}${own}` };
}

/** undefined: it goes on. */
function endOf(refresh: InstanceRefresh | undefined): RefreshOutcome | undefined {
  const { Status: status, StatusReason: why = '' } = refresh ?? {};
  switch (status) {
    case undefined:
      return { kind: 'ended', status: 'unknown', why: 'Auto Scaling does not know it any more' };
    case 'Successful':
      return { kind: 'done' };
    case 'Failed':
    case 'Cancelled':
    case 'RollbackFailed':
    case 'RollbackSuccessful':
      return { kind: 'ended', status, why: why.slice(0, 300) };
    default:
      return undefined;
  }
}

export async function stopRefresh(clients: AccountClients, group: string, how: 'cancel' | 'roll-back'): Promise<void> {
  const running = await runningRefresh(clients, group);
  if (running === undefined || running.Status === 'Cancelling' || running.Status === 'RollbackInProgress') return;
  try {
    await during(`stopping the instance refresh of ${group}`, async () => {
      const autoScaling = await clients.autoScaling();
      const which = { AutoScalingGroupName: group };
      await (how === 'cancel'
        ? autoScaling.cancelInstanceRefresh(which, signalled())
        : autoScaling.rollbackInstanceRefresh(which, signalled()));
    });
  } catch (error) {
    // It ended meanwhile.
    if (failureType(error) !== 'NotFound') throw error;
  }
}
