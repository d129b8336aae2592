/** Karpenter's roll: its waves and counts, what stops it, and the way back of its node classes. */
import { agree, capital, count } from '../../../domain/core/text.ts';
import type { NodeWaves } from '../../../domain/policy/policy.ts';
import { CHOICES } from '../choices.ts';
import { alarm, type GateText, info, type Note } from '../note.ts';
import { STOP_BY_HAND } from './freeze.ts';

export const heldAmisReleased = (nodeClasses: readonly string[]): Note => info(`Held AMIs are released on ${nodeClasses.join(', ')}.`);

/** `more`: what else is to be said, without its full stop. */
export const nodesAt = (to: string, { replacedCount, remainingCount }: Counts, more = ''): string =>
  `${count(replacedCount, 'node')} ${agree(replacedCount, 'is', 'are')} at ${to}, ${remainingCount} to go${more}.`;

interface Counts {
  replacedCount: number;
  remainingCount: number;
}

export const nodesBlocked = (to: string, counts: Counts, blockedCount: number): string =>
  nodesAt(to, counts, `; ${blockedCount === 1 ? 'one cannot be replaced' : `${blockedCount} cannot be replaced`}`);

export const poolsGone = (nodePools: readonly string[]): Note =>
  alarm(
    `${agree(nodePools.length, 'NodePool', 'NodePools')} ${nodePools.join(', ')} ${agree(nodePools.length, 'was', 'were')} deleted while nodes roll: Karpenter now removes ${agree(nodePools.length, 'its', 'their')} nodes, whatever the pace, and the roll no longer counts them. They drain even if you create ${agree(nodePools.length, 'it', 'them')} again; if this was a mistake, do so now, so that their pods get new nodes.`,
  );

export const poolsNotCounted = (nodePools: readonly string[], to: string, counts: Counts): string =>
  `${agree(nodePools.length, 'NodePool', 'NodePools')} ${nodePools.join(', ')} ${agree(nodePools.length, 'is', 'are')} gone. ${nodesAt(to, counts, `, not counting ${agree(nodePools.length, 'its', 'their')} nodes`)}`;

export const stoppingRoll = (): string => 'Stopping: Belay freezes drift again and undoes what was done for blocked nodes.';

/** Why the gate about blocked nodes closes when the roll does. */
export const rollOver = (how: 'done' | 'frozen' | 'stopped'): string =>
  ({
    done: 'every node is replaced',
    frozen: 'the roll was stopped, and drift is frozen again',
    stopped: 'the roll was stopped',
  })[how];

/** How the message with the paces ends. `back`: the control plane goes back next. */
export const rollEnded = (nodeCount: number, to: string, back: boolean): string =>
  `${count(nodeCount, 'node')} at ${to}; ${back ? 'drift is frozen again' : 'budgets are restored'}.`;

export const rollStopped = (): string => 'stopped before its end; drift is frozen again.';

/** Why the freeze is lifted. */
export const everyNodeAt = (nodeCount: number, to: string): string =>
  `${agree(nodeCount, 'the Karpenter node is', `all ${nodeCount} Karpenter nodes are`)} at ${to}`;

/** Why the freeze is lifted after a rollback. */
export const controlPlaneAndNodesAt = (to: string): string => `the control plane and Karpenter's nodes are back at ${to}`;

export const driftNotFrozenAgain = (problem: string): Note =>
  alarm(`ALARM: drift could not be frozen again: ${problem}. Karpenter may keep replacing nodes at its last pace. ${STOP_BY_HAND}`);

interface NodeWave {
  name: string;
  nodeCount: number;
}

type By = NodeWaves['by'];

const WORD = { zone: 'zone', nodepool: 'NodePool', count: 'wave' } as const;

/** "zone eu-1b", "NodePool batch", "wave 2" */
export const waveTitle = (by: By, { name }: Pick<NodeWave, 'name'>): string => `${WORD[by]} ${name}`;

export const wavesHeld = (by: By, waves: readonly NodeWave[]): Note => {
  const list = waves.map((wave) => `${wave.name} (${count(wave.nodeCount, 'node')})`).join(', then ');
  return info(
    `Nodes roll in ${count(waves.length, 'wave')} by ${by}: ${list || 'none is old'}. Nodes of later waves are held until their turn.`,
  );
};

/** For a gate between waves. */
export const wavesUndo = (): string => 'Nodes already replaced stay; those of later waves are held until their turn.';

export const waveMoved = (by: By, wave: NodeWave, next: NodeWave): string =>
  `${capital(waveTitle(by, wave))} is finished (${count(wave.nodeCount, 'node')}). Watching before ${waveTitle(by, next)}.`;

/** What was seen of a wave. */
export const waveReplaced = ({ nodeCount }: NodeWave): string => `${count(nodeCount, 'node')} replaced`;

/** How the run continues after a bake; `asks`: the next wave has a gate of its own. */
export const afterWaveBake = (by: By, next: NodeWave, asks: boolean): string =>
  asks ? `when you are asked about ${waveTitle(by, next)}` : `with ${waveTitle(by, next)}`;

/** What ending a bake early does. */
export const endingWaveBake = (by: By, next: NodeWave, asks: boolean): string =>
  asks ? `Asks about ${waveTitle(by, next)} now.` : `Continues with ${waveTitle(by, next)} now.`;

export const waveBakeEnded = (by: By, wave: NodeWave): Note => info(`The bake after ${waveTitle(by, wave)} ended early, as decided.`);

export const nextWaveGate = (by: By, wave: NodeWave, next: NodeWave): GateText => ({
  title: `${capital(waveTitle(by, wave))} is finished: continue with ${waveTitle(by, next)}?`,
  next: `Karpenter replaces ${count(next.nodeCount, 'node')} of ${waveTitle(by, next)}.`,
  evidence: [{ title: capital(waveTitle(by, wave)), lines: [waveReplaced(wave)] }],
  undo: wavesUndo(),
  choices: [
    { ...CHOICES.approve, does: `Releases ${waveTitle(by, next)}.` },
    { ...CHOICES.reject, does: 'Stops the roll: drift is frozen again, and you are asked what to do with the step.' },
  ],
});

const HELD = 'do-not-disrupt on nodes of later waves';

export const waveMarksKept = (): Note =>
  alarm(`ALARM: ${HELD} stays, because drift could not be frozen. They carry annotation belay.dev/roll-wave.`);

export const waveMarksNotRemoved = (problem: string): Note =>
  alarm(`ALARM: ${HELD} could not be removed: ${problem}. They carry annotation belay.dev/roll-wave.`);

/** Once the control plane is back. */
export const amisChosenAsBefore = (nodeClasses: readonly string[]): Note =>
  info(`EC2NodeClass ${nodeClasses.join(', ')}: AMIs are chosen as before the rollback.`);
