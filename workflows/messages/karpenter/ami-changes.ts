/** AMIs that a roll brings: node classes that are edited or asked for, releases to promote, and whether edits are kept when a roll stops. */
import { count, someOf } from '../../../domain/core/text.ts';
import { selectionWords } from '../../../domain/plan/karpenter/ami-changes.ts';
import type { AmiMove, Unpromoted } from '../../../domain/plan/model/changes.ts';
import { alarm, type ChangeRequest, type GateText, info, type Note, warning } from '../note.ts';

const BEFORE_IMAGE = 'annotation belay.dev/ami-move-before has the terms from before';

const editOf = ({ nodeClass, before, terms }: AmiMove): string => `${nodeClass}: ${before} → ${selectionWords(terms)}`;
const inYaml = ({ alias, id }: AmiMove['terms'][number]): string => (alias === undefined ? `{id: ${id}}` : `{alias: ${alias}}`);

export const amiMoved = (move: AmiMove): Note => info(`EC2NodeClass ${editOf(move)} (${move.why}). Its ${BEFORE_IMAGE}.`);

export function moveAmi({ nodeClass, before, terms, amiFamily, why, owner }: AmiMove): ChangeRequest {
  const lines = [
    ...(amiFamily === undefined ? [] : [amiFamily === null ? 'remove spec.amiFamily' : `set spec.amiFamily to ${amiFamily}`]),
    `set spec.amiSelectorTerms to [${terms.map(inYaml).join(', ')}]`,
  ];
  return {
    ask: { component: 'node-class', name: nodeClass, version: selectionWords(terms), managedBy: owner ?? 'manual' },
    text:
      `Please change EC2NodeClass ${nodeClass} at its source (${owner ?? 'manual'}): ${lines.join(' and ')}, instead of ${before}, because ${why}. ` +
      'Drift is frozen: no node is replaced before Belay paces it. Belay watches the class and continues by itself.',
  };
}

export const amiChangeArrived = (nodeClasses: readonly string[]): Note =>
  info(`The change of EC2NodeClass ${nodeClasses.join(', ')} has arrived in the cluster.`);

interface Stale {
  nodeClass: string;
  nodePools: string[];
  why: string;
}

export const noAmis = (stale: readonly Stale[], to: string): string => `${count(stale.length, 'EC2NodeClass')} without AMIs for ${to}`;

export const noAmisWhy = (stale: readonly Stale[]): string[] => stale.map(({ nodeClass, why }) => `EC2NodeClass ${nodeClass}: ${why}`);

export const noAmisGate = (stale: readonly Stale[], to: string): GateText => ({
  title: `${noAmis(stale, to)}: what now?`,
  next: `Pin the class to a release with images for ${to}, then Belay looks again. Drift is still frozen.`,
  evidence: [{ title: 'What Karpenter has found', lines: noAmisWhy(stale) }],
  undo: 'Nothing has been replaced yet.',
  choices: [
    {
      id: 'look-again',
      label: 'Look again',
      style: 'primary',
      does: 'Checks Karpenter’s node classes again; asks again if nothing has changed.',
    },
    {
      id: 'leave',
      label: 'Leave these nodes',
      style: 'danger',
      needsReason: true,
      does: `Replaces the others; nodes of ${stale.flatMap(({ nodePools }) => nodePools).join(', ')} stay at the old version; validation names them, with who left them, and accepts them.`,
    },
  ],
});

/** What validation calls them. */
export const nodesOfPools = (nodePools: readonly string[]): string => `Nodes of ${nodePools.join(', ')}`;

export const leftAtOldAmis = (nodePools: readonly string[]): string => `${nodesOfPools(nodePools)} stay as they are.`;

export const lookingForAmis = (): string => 'Looking for AMIs again.';

/** A roll has stopped halfway. `edits`: what Belay has changed. */
export const keepAmisGate = (why: string, edits: readonly AmiMove[]): GateText => ({
  title: 'Replacing nodes has stopped: keep the new AMIs?',
  next: 'The new AMIs stay chosen. Drift is frozen; you are then asked what to do with the step.',
  evidence: [
    { title: 'What happened', lines: [why] },
    { title: 'What Belay has edited', lines: edits.map(editOf) },
  ],
  undo: 'Restoring the old AMIs changes no running node: drift is frozen.',
  choices: [
    { id: 'keep-amis', label: 'Keep the new AMIs', style: 'primary', does: 'Leaves the node classes as they are.' },
    {
      id: 'put-back',
      label: 'Restore the old AMIs',
      style: 'danger',
      needsReason: true,
      does: 'New nodes start as before this step; nodes that run the new AMIs are replaced once drift is unfrozen.',
    },
  ],
});

export const amisRestored = (nodeClasses: readonly string[]): Note =>
  info(`AMIs are as before on ${nodeClasses.join(', ')}. Nodes that run the new ones stay until drift is unfrozen.`);

export const amisNotRestored = (nodeClass: string, problem: string): Note =>
  alarm(`ALARM: the AMIs of EC2NodeClass ${nodeClass} could not be restored: ${problem}`);

/** A roll was cancelled: nobody can be asked any more. */
export const newAmisKept = (nodeClasses: readonly string[]): Note =>
  warning(`The new AMIs stay chosen on EC2NodeClass ${nodeClasses.join(', ')}; ${BEFORE_IMAGE}.`);

interface Found {
  moves: AmiMove[];
  unpromoted: Unpromoted[];
}

export const lookingForPromotion = (): string => 'Looking for an AMI release to promote.';

export const promotion = ({ moves, unpromoted }: Found): string =>
  unpromoted.length === 0
    ? `An AMI release is ready to promote to ${someOf(moves.map(({ nodeClass }) => nodeClass))}`
    : `No AMI release to promote to ${someOf(unpromoted.map(({ nodeClass }) => nodeClass))}`;

export function promotionGate(found: Found, to: string): GateText {
  const edits = found.moves.map((move) => `EC2NodeClass ${editOf(move)} (${move.why})`);
  const left = found.unpromoted.map(
    ({ nodeClass, chooses, status, why }) => `${status === 'unknown' ? 'UNKNOWN' : 'FAILED'} ${nodeClass} (${chooses}): ${why}`,
  );
  const without = someOf([
    ...found.unpromoted.map(({ nodeClass, chooses }) => `${nodeClass} to ${chooses}`),
    ...found.moves.map(({ nodeClass, before }) => `${nodeClass} to ${before}`),
  ]);
  return {
    title: `${promotion(found)}: what now?`,
    next:
      edits.length > 0
        ? `Pins that release, then nodes roll to ${to}.`
        : 'Look again once the other cluster has run a release for long enough. Drift stays frozen until you choose.',
    evidence: [
      ...(edits.length === 0 ? [] : [{ title: 'Ready to be promoted', lines: edits }]),
      ...(left.length === 0 ? [] : [{ title: 'No release to promote', lines: left }]),
    ],
    undo: 'Nothing has been replaced yet.',
    choices: [
      ...(edits.length === 0
        ? []
        : [{ id: 'promote' as const, label: 'Promote', style: 'primary' as const, does: `${edits.join('; ')}; then nodes roll.` }]),
      {
        id: 'look-again',
        label: 'Look again',
        ...(edits.length === 0 ? { style: 'primary' as const } : {}),
        does: 'Reads the other clusters again, and asks again.',
      },
      {
        id: 'go-on',
        label: 'Continue without',
        style: 'danger',
        needsReason: true,
        does: `Nodes roll to what the classes choose now, which no other cluster has proven: ${without}.`,
      },
    ],
  };
}
