/** What every choice of every gate does to the cluster, in one table: by it one vote is enough, or the gate's rules have to be met. */

/**
 * `looks-or-stops`: reads again, waits, keeps things as they are, or ends the run the way Belay ends it by itself. One approver is enough: whoever sees
 * trouble has to be able to stop it alone.
 * `goes-on`: something is changed, or the run passes a point where it was held. The gate's rules have to be met.
 * `destroys`: cannot be brought back, or interrupts services beyond what was planned. Likewise; named apart because nobody should loosen it lightly.
 */
export type ChoiceClass = 'looks-or-stops' | 'goes-on' | 'destroys';

/** A choice that is missing here does not compile: `GateChoice.id` is a key of this table. One id means the same thing at every gate. */
export const CHOICE_CLASSES = {
  // Looks
  'look-again': 'looks-or-stops',
  wait: 'looks-or-stops',
  'keep-frozen': 'looks-or-stops',
  'keep-amis': 'looks-or-stops',
  // Opens a gate of its own; nothing is done before that one is decided.
  'ask-force': 'looks-or-stops',

  // Stops
  reject: 'looks-or-stops',
  abort: 'looks-or-stops',
  // Ends the run; the way back is a run of its own, with gates of its own.
  'abort-and-rollback': 'looks-or-stops',
  stop: 'looks-or-stops',
  // The wave that is in trouble, as Abort does it there.
  undo: 'looks-or-stops',

  // Goes on
  approve: 'goes-on',
  retry: 'goes-on',
  skip: 'goes-on',
  continue: 'goes-on',
  'keep-watching': 'goes-on',
  'go-on': 'goes-on',
  // A field that changed beside the step's own change.
  'accept-change': 'goes-on',
  'go-anyway': 'goes-on',
  'end-bake': 'goes-on',
  promote: 'goes-on',
  'hold-amis': 'goes-on',
  'put-back': 'goes-on',
  'keep-both': 'goes-on',
  leave: 'goes-on',
  'skip-node': 'goes-on',
  scale: 'goes-on',
  roll: 'goes-on',
  'roll-back': 'goes-on',
  // Earlier waves, which are well.
  'undo-all': 'goes-on',
  'by-hand': 'goes-on',
  drift: 'goes-on',
  // A faster pace of Karpenter's, asked for by a command or a button.
  'set-pace': 'goes-on',

  // Destroys
  force: 'destroys',
  overwrite: 'destroys',
  'delete-pod': 'destroys',
  'roll-and-delete': 'destroys',
  cascade: 'destroys',
  'lift-and-roll': 'destroys',
} as const satisfies Record<string, ChoiceClass>;

export type ChoiceId = keyof typeof CHOICE_CLASSES;

const isChoiceId = (id: string): id is ChoiceId => Object.hasOwn(CHOICE_CLASSES, id);

/** Choices that belay.yaml may leave to one approver: all that need more by default, but Approve, which would be a quorum in name only. */
export const LOOSENABLE: readonly ChoiceId[] = Object.keys(CHOICE_CLASSES)
  .filter(isChoiceId)
  .filter((id) => CHOICE_CLASSES[id] !== 'looks-or-stops' && id !== 'approve');

/** Do the gate's rules have to be met for it? `singleApprover`: choices that belay.yaml leaves to one approver. */
export function needsQuorum(id: ChoiceId, { singleApprover = [] }: { singleApprover?: readonly string[] }): boolean {
  return CHOICE_CLASSES[id] !== 'looks-or-stops' && !(LOOSENABLE.includes(id) && singleApprover.includes(id));
}
