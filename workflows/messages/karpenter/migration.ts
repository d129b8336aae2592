/** Karpenter's way to API v1: charts that are brought or asked for, objects and nodes that move, and what is left of the older API. */
import type { KarpenterChart, ValueEdit } from '../../../activities/contract/delivery.ts';
import { agree, objectTitle, someOf } from '../../../domain/core/text.ts';
import type { DeliveredChart, ManagedBy } from '../../../domain/facts/facts.ts';
import type { Ask } from '../../../domain/run/record/change-requests.ts';
import { alarm, type ChangeRequest, info, type Note } from '../note.ts';

const said = (text: string): Note => info(`Karpenter: ${text}`);

interface ChartWanted {
  chart: KarpenterChart;
  to: string;
  /** What the migration needs beside the version. */
  values?: readonly ValueEdit[] | undefined;
  why: string;
}

/** Why a chart is brought: part of a request. `rollback`: the only release to which 0.32 can be rolled back. */
export const chartReason = {
  lastAlpha: (): string => '0.32 can be rolled back only to this release, or to a later patch of it.',
  bothApis: (): string => 'It has the CRDs of both APIs; they come before the controller.',
  bridge: (rollback: string): string =>
    `It is the only release that sees both APIs. To roll back: remove NodePools and EC2NodeClasses first, then install ${rollback}.`,
  driftGate: (): string => 'With the drift gate on, Karpenter replaces nodes of a tainted Provisioner, one after the other.',
  servesV1: (): string => 'It serves v1 beside v1beta1.',
  beforeV1: (): string => '1.0 can be reached only from this patch, and rolled back only to it; its webhook converts between the two APIs.',
  noConversion: (): string => 'Its CRDs name a conversion webhook that does not answer.',
  definitionsOfV1: (): string => 'CRDs come before the controller; the webhooks stay on until 1.1.',
  controllerOfV1: (): string => 'Its CRDs are installed. The webhooks stay on until 1.1.',
};

export const helmInstalls = (chart: KarpenterChart, version: string): string => `helm installs ${chart} ${version}.`;

/** Where `owner` would revert a change in the cluster. */
export const mergeChart = (
  { chart, to, values, why }: ChartWanted,
  { delivered, managedBy, owner }: { delivered: DeliveredChart; managedBy: ManagedBy; owner: string },
): ChangeRequest => ({
  ask: { component: 'karpenter', name: delivered.name, version: to, managedBy },
  text:
    `Please merge ${chart} ${to}${valueWords(values)}. ${why} ${objectTitle(delivered)} is managed from Git by ${owner}, ` +
    'which would revert a change in the cluster. Belay watches it and continues by itself once it is delivered.',
});

/** Where nothing in the cluster delivers the chart. */
export function installChart({ chart, to, values, why }: ChartWanted, managedBy: ManagedBy): ChangeRequest {
  const lines =
    managedBy === 'terraform'
      ? ` The line to change: version = "${to}" of helm_release ${chart}, and its values; apply nothing else with it.`
      : '';
  return {
    ask: { component: 'karpenter', name: chart, version: to, managedBy },
    text: `Please install ${chart} ${to}${valueWords(values)}. ${why} It is managed by ${managedBy === 'manual' ? 'hand' : managedBy}.${lines} Belay watches the cluster and continues by itself.`,
  };
}

/** " with webhook.enabled=true, webhook.port=8443" */
function valueWords(values: readonly ValueEdit[] = []): string {
  const words = values.map(({ path, value = '' }) => `${path.join('.')}=${String(value)}`);
  return words.length === 0 ? '' : ` with ${words.join(', ')}`;
}

export const chartAdopts = (names: readonly string[]): Note =>
  said(
    `${someOf(names)} belonged to no Helm release, so Belay marked ${agree(names.length, 'it as a part', 'them as parts')} of karpenter-crd; nothing was deleted.`,
  );

/** NodePools by how their nodes are held. */
interface Held {
  byBudget: readonly string[];
  byNode: readonly string[];
}

/** Part of a message; empty: nothing is held. */
export const heldWords = ({ byBudget, byNode }: Held): string =>
  [
    ...(byBudget.length === 0 ? [] : [`on ${someOf(byBudget)} by a budget`]),
    ...(byNode.length === 0 ? [] : [`on the nodes of ${someOf(byNode)} by annotation, which GitOps does not revert`]),
  ].join(', ');

export const driftHeld = (held: Held): Note => said(`drift is frozen ${heldWords(held)}, until the migration ends.`);

export const otherBudgetsKept = (pools: readonly string[]): Note =>
  said(`somebody else changed the budgets of ${someOf(pools)} meanwhile: Belay removed only its own entry.`);

/** Part of an alarm. `pool`: or "all NodePools". */
export const holdNotReleased = (pool: string, why: string): Note =>
  alarm(`ALARM: budgets of ${pool} could NOT be restored: ${why}. Annotation belay.dev/budgets-before has the values from before.`);

type Manifests = Pick<Ask, 'version' | 'managedBy'>;
const manifestsOf = (name: string, { version, managedBy }: Manifests): Ask => ({
  component: 'karpenter-manifests',
  name,
  version,
  managedBy,
});

export const noAlphaLeft = (): Note => said('nothing of v1alpha5 is left.');

export const bridgeRunsAlready = (version: string): Note => said(`${version} runs and sees both APIs.`);

export const bridgeRuns = (version: string, rollback: string): Note =>
  said(`${version} runs and sees both APIs. Rollback only to ${rollback}: remove the new NodePools and EC2NodeClasses first.`);

export const newObjectsCreated = (objects: readonly string[]): Note =>
  said(`${someOf(objects)} created from the Provisioners and AWSNodeTemplates of the same names.`);

export const createNewObjects = (objects: readonly string[], how: Manifests): ChangeRequest => ({
  ask: manifestsOf('karpenter', how),
  text: `Please create these beside the old objects, under the same names: ${someOf(objects, 6)}. belay migrate karpenter --dir CHECKOUT --to ${how.version} writes them, with the reason for each change. Belay continues by itself once they exist.`,
});

export const noMachineLeft = (): Note => said('no Machine is left.');

export const provisionersDeleted = (objects: readonly string[]): Note =>
  said(`${someOf(objects)} deleted: every node that ${agree(objects.length, 'it', 'they')} launched drains now.`);

export const deleteProvisioners = (objects: readonly string[], how: Manifests): ChangeRequest => ({
  ask: manifestsOf('karpenter-old', how),
  text: `Please delete ${someOf(objects)}: in Git first, then with kubectl delete provisioner NAME --cascade=foreground. All nodes it has launched drain at once; only PodDisruptionBudgets slow that down, and it cannot be stopped. Belay watches the Machines.`,
});

/** `delivered`: what may revert the taint. */
export const provisionersTainted = (provisioners: readonly string[], delivered: readonly string[]): Note =>
  said(
    `${agree(provisioners.length, 'Provisioner', 'Provisioners')} ${someOf(provisioners)} ${agree(provisioners.length, 'has', 'have')} the taint karpenter.sh/legacy=true:NoSchedule.${delivered.length === 0 ? '' : ` ${someOf(delivered)} may revert it: add it in Git as well.`}`,
  );

export const deleteNodes = (version: string): ChangeRequest => ({
  ask: manifestsOf('karpenter-nodes', { version, managedBy: 'manual' }),
  text: 'Please delete the nodes of the Machines one by one (kubectl delete node NAME): Karpenter drains each. Belay counts the Machines and continues by itself once none is left.',
});

/** `seen`: how many Machines there are. */
export const machinesStuck = (seen: string): string =>
  `${seen} None has been removed for a while: look for pods that cannot be evicted (kubectl describe node).`;

export const nodesMoved = (): Note => said('no Machine is left: every node belongs to a NodePool.');

/** `driftGate`: it stays on. */
export const taintRemoved = (provisioners: readonly string[], driftGate: boolean): Note =>
  said(
    `the taint is removed from ${agree(provisioners.length, 'Provisioner', 'Provisioners')} ${someOf(provisioners)}: no further node is replaced because of it.${driftGate ? ' The drift gate is still on (settings.featureGates.drift).' : ''}`,
  );

export const alphaDeleted = (objects: readonly string[]): Note => said(`${someOf(objects)} deleted; no node was removed with them.`);

export const removeAlpha = (objects: readonly string[], how: Manifests): ChangeRequest => ({
  ask: manifestsOf('karpenter-old', how),
  text: `Please remove these objects, which nothing uses any more: ${someOf(objects)}. Belay continues by itself once they are gone.`,
});

export const migratedAlready = (): Note => said('its objects already use v1.');

export const conversionAnswers = (version: string): Note => said(`${version} runs, and its conversion webhook answers.`);

export const conversionReady = (version: string): Note => said(`${version} runs, and its webhook converts between v1beta1 and v1.`);

export const v1RunsAlready = (version: string): Note => said(`${version} runs with its CRDs.`);

export const v1Runs = (version: string): Note => said(`${version} runs, and its CRDs store v1.`);

/** Of 0.3x. */
export const webhooksDeleted = (webhooks: readonly string[]): Note =>
  said(`deleted ${someOf(webhooks)} of 0.3x, which had no owner and no longer answered.`);

export const kubeletsMoved = (nodePools: readonly string[]): Note =>
  said(
    `kubelet settings of ${agree(nodePools.length, 'NodePool', 'NodePools')} ${someOf(nodePools)} are in their EC2NodeClasses now; the annotation is gone.`,
  );

export const mergeManifests = (open: readonly string[], how: Manifests): ChangeRequest => ({
  ask: manifestsOf('karpenter', how),
  text:
    'Please merge Karpenter’s manifests as v1: belay migrate karpenter --dir CHECKOUT --write changes them, with the reason for each change. ' +
    `Open: ${someOf(open, 8)}. Kubelet settings go to the EC2NodeClass first; Belay then removes the annotation from the NodePool and continues by itself.`,
});

export const manifestsMerged = (): Note => said('manifests are v1, and only the EC2NodeClasses have kubelet settings.');

export const waitingForStorage = (): string => 'Waiting until every object is stored as v1.';

export const objectsRewritten = (rewritten: number): Note =>
  said(`1.0 did not store all of its objects as v1, so Belay rewrote ${rewritten} of them.`);

export const verifyingDrift = (): string => 'Checking that Karpenter marks no more nodes for replacement than before.';

export const migrated = (): Note => said('its objects use v1 and are stored as v1. Keep the conversion webhooks on until 1.1 runs.');
