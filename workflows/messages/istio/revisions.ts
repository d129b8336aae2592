/** Istio's revisions: installed beside the old one, gateways moved, node agents upgraded, the old one retired. */
import { count, someOf } from '../../../domain/core/text.ts';
import type { GateEvidence } from '../../../domain/gates/gate.ts';
import type { NodeAgentChange } from '../../../domain/plan/model/changes.ts';
import { type ChangeRequest, type GateText, info, type Note, warning } from '../note.ts';

const SHOWN = 6;

interface Revisions {
  fromRevision: string;
  toRevision: string;
}

/** `with`: gateways move too. */
export const everythingRuns = (version: string, withGateways: boolean): Note =>
  info(`Istio: every namespace${withGateways ? ' and gateway' : ''} runs ${version}.`);

export const lookingForRevision = (revision: string): string => `Checking whether istiod of ${revision} still runs.`;

export const installingRevision = ({ fromRevision, toRevision }: Revisions): string =>
  `Installing Istio revision ${toRevision} beside ${fromRevision}.`;

/** `version`: one, or a minor. */
export const mergeRevision = ({ fromRevision, toRevision }: Revisions, version: string, managedBy: string): ChangeRequest => ({
  ask: { component: 'istio', name: toRevision, version, managedBy },
  text:
    `Please merge Istio revision ${toRevision} (${version}, istio-base first, defaultRevision unchanged) beside ${fromRevision}. ` +
    'Belay continues by itself once istiod of that revision is available.',
});

/** `gateways`: those whose old istiod empties their configuration at the change of hands. */
export function gatewayInterruptionGate(
  { fromRevision, fromVersion, toRevision }: Revisions & { fromVersion: string },
  label: string,
  gateways: readonly string[],
): GateText {
  const names = someOf(gateways, SHOWN);
  return {
    title: `Istio ${label} interrupts ${names} for about half a minute: move now?`,
    next: `Connections fail, because istiod ${fromVersion} (${fromRevision}) empties the configuration of these pods as soon as ${toRevision} takes them over; new pods serve once they are Ready (istio/istio#59959).`,
    evidence: [
      { title: 'Gateways of the Gateway API', lines: [names] },
      {
        title: 'Ways around it',
        lines: ['istiod 1.29.5, 1.30.2 or later as the old revision', 'a second Gateway on the new revision, with traffic switched to it'],
      },
    ],
    undo: `They move back with their wave, with the same interruption if ${toRevision} has this bug too.`,
    choices: [
      { id: 'approve', label: 'Move now', style: 'primary', does: `Moves ${label}.` },
      { id: 'reject', label: 'Reject', style: 'danger', does: 'Stops here; waves before this one stay.' },
    ],
  };
}

/** `what`: the gateway in words; `by`: who owns it. */
export function moveGateway(
  { kind, namespace, name }: { kind: string; namespace: string; name: string },
  { what, by, revision, managedBy }: { what: string; by: string; revision: string; managedBy: string },
): ChangeRequest {
  const where =
    kind === 'Gateway'
      ? `label istio.io/rev: "${revision}" of the Gateway`
      : `\`revision: ${revision}\` in the values of its chart (label istio.io/rev of its pod template)`;
  return {
    ask: { component: 'istio-gateway', name: `${namespace}/${name}`, version: revision, managedBy },
    text: `Please move ${what} to Istio ${revision} at its source: ${where}. It belongs to ${by}, so Belay does not edit it. Belay continues once it names ${revision}.`,
  };
}

/** The first five: each is a sentence of its own. */
const five = (all: readonly string[]): string => `${all.slice(0, 5).join('; ')}${all.length > 5 ? ` and ${all.length - 5} more` : ''}`;

export const notRestarted = (label: string, skipped: readonly string[]): Note => warning(`Not restarted in ${label}: ${five(skipped)}.`);

export const lookAtWave = (label: string, notes: readonly string[]): Note => warning(`Check ${label}: ${five(notes)}.`);

/** Objects by their titles. */
interface ByHand {
  /** With update strategy OnDelete. */
  sets: readonly string[];
  /** Without a controller. */
  pods: readonly string[];
}

export function deletionGate({ sets, pods }: ByHand, { label, from, to }: { label: string; from: string; to: string }): GateText {
  const kept = `They keep the proxy of ${from}, which cannot be retired while they run.`;
  return {
    title: `Istio ${label}: delete pods of ${count(sets.length + pods.length, 'workload')} that cannot move otherwise?`,
    next: `No pod is deleted unless you choose so. ${kept}`,
    evidence: [
      ...(sets.length === 0 ? [] : [{ title: 'Update strategy OnDelete', lines: [someOf(sets, SHOWN)] }]),
      ...(pods.length === 0 ? [] : [{ title: 'No controller will recreate these pods', lines: [someOf(pods, SHOWN)] }]),
    ],
    undo: `Sets move back with their wave, pod by pod.${pods.length === 0 ? '' : ' A pod without a controller cannot be brought back.'}`,
    choices: [
      ...(sets.length === 0
        ? []
        : [
            {
              id: 'roll' as const,
              label: 'Roll the sets',
              style: 'primary' as const,
              does: `Deletes the pods of ${someOf(sets, SHOWN)} one by one, each when all others are Ready; they are recreated on ${to}.`,
            },
          ]),
      ...(pods.length === 0
        ? []
        : [
            {
              id: 'roll-and-delete' as const,
              label: sets.length === 0 ? 'Delete the pods' : 'Roll, and delete the pods',
              style: 'danger' as const,
              needsReason: true,
              does: `Deletes ${someOf(pods, SHOWN)} for good${sets.length === 0 ? '' : ', after rolling the sets'}: whoever created them has to create them again.`,
            },
          ]),
      { id: 'leave', label: 'Leave them', does: kept },
    ],
  };
}

/** `what`: "Delete pods of wave 1 of 3 to 1-28 one by one". */
export const deletingPods = (what: string, { sets, pods }: ByHand): string => `${what}: ${someOf([...sets, ...pods], SHOWN)}.`;

export const keptAtOldProxy = (left: readonly string[]): string => `${someOf(left, SHOWN)}: still on the old proxy`;

const COSTS: Record<NodeAgentChange['kind'], string> = {
  'istio-cni': 'no pod starts on a node while istio-cni restarts there',
  ztunnel: 'long-lived connections of a node end when its ztunnel restarts',
};

const moves = (agents: readonly NodeAgentChange[]): string =>
  agents.map(({ kind, from, toMinor }) => `${kind} ${from} → ${toMinor}`).join(', ');

/** `by`: how the version before can be deployed again; undefined: not known. */
export function nodeAgentGate(agents: readonly NodeAgentChange[], by: string | undefined): GateText {
  const what = moves(agents);
  return {
    title: `Upgrade Istio on every node: ${what}?`,
    next: `Upgrades ${agents.map(({ kind }) => kind).join(', then ')} in place, node by node. There is no canary for them.`,
    evidence: [{ title: 'What it costs', lines: agents.map(({ kind }) => COSTS[kind]) }],
    undo: `The previous version can be deployed again${by === undefined ? '' : ` (${by})`}, with the same restarts; it works with the istiod that runs now.`,
    choices: [
      { id: 'approve', label: 'Approve', style: 'primary', does: `Upgrades ${what}.` },
      {
        id: 'reject',
        label: 'Reject',
        style: 'danger',
        does: 'Stops here, because the next minor of istiod would be too far ahead of them.',
      },
    ],
  };
}

export const upgradingAgent = ({ kind, toMinor }: NodeAgentChange): string => `Upgrading ${kind} to ${toMinor}.`;

export const upgradeAgent = ({ kind, namespace, daemonSet, toMinor }: NodeAgentChange, managedBy: string): ChangeRequest => ({
  ask: { component: 'istio-agent', name: kind, version: toMinor, managedBy },
  text: `Please upgrade ${kind} (DaemonSet ${namespace}/${daemonSet}) to ${toMinor}. Belay continues by itself once it has rolled out.`,
});

export const agentUpgraded = ({ kind, toMinor }: NodeAgentChange, onDelete: boolean): Note =>
  info(`Istio: ${kind} is at ${toMinor}.${onDelete ? ' Its pods are replaced with their nodes (update strategy OnDelete).' : ''}`);

export const agentsStay = (agents: readonly NodeAgentChange[], fromRevision: string): Note =>
  warning(`Istio: ${agents.map(({ kind, from }) => `${kind} stays at ${from}`).join(', ')}, because revision ${fromRevision} was kept.`);

export const bakingBeforeRetirement = ({ fromRevision, toRevision }: Revisions): string =>
  `Every namespace runs ${toRevision}. Watching before ${fromRevision} may be retired: until then every wave can be moved back.`;

/** While they bake. */
export const bothRun = ({ fromRevision, toRevision }: Revisions): GateEvidence => ({
  title: 'Istio',
  lines: [`Every namespace runs ${toRevision}; ${fromRevision} is kept so that you can roll back`],
});

export const retireBakeEnded = (revision: string): Note => info(`The bake before ${revision} is retired ended early, as decided.`);

export const checkingRetirement = (revision: string): string => `Checking whether Istio revision ${revision} can be retired.`;

/** `ready`: nothing uses it. */
export function retireGate(
  fromRevision: string,
  ready: boolean,
  { conditions, undo }: { conditions: GateEvidence; undo: string },
): GateText {
  return {
    title: ready ? `Retire Istio revision ${fromRevision}?` : `Istio revision ${fromRevision} cannot be retired yet`,
    next: ready ? `Removes istiod and the webhooks of ${fromRevision}.` : 'Press Look again once the conditions are met.',
    evidence: [conditions],
    undo,
    choices: [
      ready
        ? { id: 'approve', label: 'Retire', style: 'primary', does: `Removes revision ${fromRevision}.` }
        : { id: 'look-again', label: 'Look again', style: 'primary', does: 'Reads the conditions again.' },
      { id: 'keep-both', label: 'Keep both', needsReason: true, does: `Continues with ${fromRevision} still installed.` },
    ],
  };
}

/** `by`: the kind of GitOps object that delivers it, or "helm"; undefined: not known. */
export function retirementUndo(fromRevision: string, by: string | undefined): string {
  const again = `After this, going back to ${fromRevision} means installing it again`;
  if (by === undefined) return `${again}.`;
  return by === 'helm'
    ? `${again}: Helm keeps the record of its release, so \`helm rollback\` to its last deployed revision brings back the same chart and values.`
    : `${again}: apply the ${by} that delivers it now, which is posted before it is removed.`;
}

/** What waits for a window. */
export const retirementTitle = (revision: string): string => `the retirement of Istio revision ${revision}`;

export const revisionKept = (revision: string): string => `Istio revision ${revision} stays, as decided.`;

export const removingRevision = (revision: string): string => `Removing Istio revision ${revision}.`;

export const removeRevisionByHand = (revision: string, successor: string, managedBy: string): ChangeRequest => ({
  ask: { component: 'istio-retire', name: revision, version: successor, managedBy },
  text: `Please remove Istio revision ${revision}. Belay continues once it is gone.`,
});

export const webhooksSwept = (revision: string, webhooks: readonly string[]): Note =>
  info(`Istio: deleted webhooks that still called ${revision}, whose istiod is gone: ${webhooks.join(', ')}.`);
