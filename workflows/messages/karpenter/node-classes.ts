/** EC2NodeClasses: images that are pinned while drift is frozen, and NodePools that are pointed at other classes. */
import type { NodeClassSwitch } from '../../../domain/facts/facts-karpenter.ts';
import { agree } from '../../../domain/core/text.ts';
import { selectionWords } from '../../../domain/plan/karpenter/ami-changes.ts';
import type { AmiMove } from '../../../domain/plan/model/changes.ts';
import { alarm, type ChangeRequest, info, type Note, quietAlarm, warning } from '../note.ts';

const listed = (names: readonly string[]): string => names.join(', ');
const ALIASES = 'Annotation belay.dev/ami-before has the aliases from before';

/** `to`: "the images in use". */
export const nodeClassesPinned = (nodeClasses: readonly string[], { to, until }: { to: string; until: string }): Note =>
  info(`EC2NodeClass ${listed(nodeClasses)} ${nodeClasses.length === 1 ? 'is' : 'are'} pinned to ${to} until ${until}. ${ALIASES}.`);

export const amisHeld = (nodeClasses: readonly string[]): Note => warning(`AMIs are held on ${listed(nodeClasses)}. ${ALIASES}.`);

export const amisNotHeld = (problem: string): Note =>
  quietAlarm(`AMIs cannot be held: ${problem}. Drift stays frozen, and you are asked again.`);

export const amisReleased = (nodeClasses: readonly string[]): Note => info(`AMIs are as before on ${listed(nodeClasses)}.`);

export const amisNotReleased = (nodeClass: string, problem: string): Note =>
  alarm(`ALARM: the AMIs of EC2NodeClass ${nodeClass} could not be released: ${problem}`);

/** Asks the owner of a node class to pin it; `back`: on a way back, the minor that the control plane returns to. */
export function pinNodeClass({ nodeClass, before, terms, amiFamily, owner }: AmiMove, back: string | undefined): ChangeRequest {
  const lines = [
    ...(amiFamily === undefined ? [] : [`spec.amiFamily to ${amiFamily}`]),
    `spec.amiSelectorTerms to [${terms.map(({ id = '' }) => `{id: ${id}}`).join(', ')}]`,
  ];
  const why =
    back === undefined
      ? 'so that nodes launched before the roll keep the old version. This replaces no node. Belay asks you to revert it before nodes roll.'
      : `so that no node is newer than ${back} when the control plane goes back. Drift is frozen: no node is replaced before Belay paces it. Belay asks for the alias again once the control plane is back.`;
  return {
    ask: { component: 'node-class', name: nodeClass, version: selectionWords(terms), managedBy: owner ?? 'manual' },
    text: `Please change EC2NodeClass ${nodeClass} at its source (${owner ?? 'manual'}): set ${lines.join(' and ')}, instead of ${before}, ${why}`,
  };
}

export const unpinNodeClass = ({ nodeClass, before, owner }: AmiMove): ChangeRequest => ({
  ask: { component: 'node-class', name: nodeClass, version: before, managedBy: owner ?? 'manual' },
  lasting: true,
  text: `Please change EC2NodeClass ${nodeClass} back at its source (${owner ?? 'manual'}): set spec.amiSelectorTerms to [{alias: ${before}}]. Its nodes keep the pinned images until you do; if the earlier change was never merged, withdraw it.`,
});

export const nodeClassSwitched = ({ nodePool, from, to }: NodeClassSwitch): Note =>
  info(`NodePool ${nodePool} uses EC2NodeClass ${to} instead of ${from}: new nodes use it; existing nodes wait for the roll.`);

export const switchNodeClass = ({ nodePool, from, to, owner }: NodeClassSwitch): ChangeRequest => ({
  ask: { component: 'node-pool', name: nodePool, version: to, managedBy: owner ?? 'manual' },
  text:
    `Please change NodePool ${nodePool} at its source (${owner ?? 'manual'}): set spec.template.spec.nodeClassRef.name to ${to}, instead of ${from}. ` +
    'Drift is frozen: no node is replaced before Belay paces it. Belay watches the NodePool and continues by itself.',
});

export const switchNodeClassBack = ({ nodePool, from, owner }: NodeClassSwitch): ChangeRequest => ({
  ask: { component: 'node-pool', name: nodePool, version: from, managedBy: owner ?? 'manual' },
  lasting: true,
  text: `Please change NodePool ${nodePool} back at its source (${owner ?? 'manual'}): set spec.template.spec.nodeClassRef.name to ${from}. Drift stays frozen until you do.`,
});

export const withdrawNodeClassSwitch = (nodePools: readonly string[]): Note =>
  warning(
    `Please withdraw the change of ${agree(nodePools.length, 'NodePool', 'NodePools')} ${listed(nodePools)}: if merged later, it would replace every node of ${agree(nodePools.length, 'that NodePool', 'these NodePools')}.`,
  );

export const nodeClassesRestored = (nodePools: readonly string[]): Note =>
  info(
    `${agree(nodePools.length, 'NodePool', 'NodePools')} ${listed(nodePools)} ${agree(nodePools.length, 'uses its previous EC2NodeClass', 'use their previous EC2NodeClasses')} again.`,
  );

export const nodeClassesNotRestored = (problem: string): Note =>
  alarm(`ALARM: NodePools could NOT be switched back to their EC2NodeClasses, so drift stays frozen: ${problem}`);
