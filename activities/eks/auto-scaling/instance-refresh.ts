/** An instance refresh made at most once: looked for first, and adopted where it runs to the same template version. */
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { noteDifferences } from '../../clients/side-effects/recorder.ts';
import { during, failureOf, failureType } from '../../runtime/translate-errors.ts';
import { runningRefresh, signalled } from './group-calls.ts';
import type { SelfManagedActivities } from '../../contract/self-managed.ts';
import { readVersion } from './examine.ts';
import { eksNameOf } from '../../../domain/core/cluster-ref.ts';

type StartInput = Parameters<SelfManagedActivities['startInstanceRefresh']>[0];

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

/** The longest that Auto Scaling rests at a checkpoint (its service model, CheckpointDelay); it refuses more. */
const LONGEST_REST_SECONDS = 172_800;

/** Nodes are launched before others end, and the first one is watched before the rest follows. What is at the version already stays. */
function requestOf({ group, size, template, minHealthyPercent, checkpointDelayMs }: StartInput) {
  const restSeconds = Math.min(LONGEST_REST_SECONDS, Math.round(checkpointDelayMs / 1_000));
  const checkpoint = size < 2 ? {} : { CheckpointPercentages: [Math.max(1, Math.floor(100 / size)), 100], CheckpointDelay: restSeconds };
  return {
    AutoScalingGroupName: group,
    Strategy: 'Rolling' as const,
    ...(template === undefined
      ? {}
      : { DesiredConfiguration: { LaunchTemplate: { LaunchTemplateId: template.id, Version: template.version } } }),
    Preferences: {
      MinHealthyPercentage: minHealthyPercent,
      // Left out, it is that of the group's instance maintenance policy, which may be refused beside this lower bound; and where there is none, an instance
      // ends while its successor is launched, however few remain (Auto Scaling API reference, RefreshPreferences, MaxHealthyPercentage).
      MaxHealthyPercentage: minHealthyPercent === 100 ? 110 : 100,
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
