/** The steps of a run that can be undone by themselves, in the order in which they are offered. */
export const UNDO_STEPS = ['add-ons', 'karpenter-controller', 'istio', 'node-groups', 'node-classes'] as const;

export type UndoStep = (typeof UNDO_STEPS)[number];

/** "add-ons, istio or node-groups" */
export const UNDO_STEPS_TEXT = `${UNDO_STEPS.slice(0, -1).join(', ')} or ${UNDO_STEPS.at(-1)}`;
