/** What is asked for, in a few words: an upgrade, the way back, or that of one step. */
import type { UpgradePlan } from '../../domain/plan/model/types.ts';
import type { UpgradeInput } from '../../workflows/contract/messages.ts';

/** The same question asked twice shares one answer: the end of its workflow's id. */
export function questionOf({ back, undo, target, strategy }: UpgradeInput): string {
  if (back !== true) return `${target}/${strategy ?? 'default'}`;
  return undo === undefined ? 'back' : `undo/${undo}`;
}

/** "to 1.33", "back", "back: add-ons" */
export function wayOf({ back, undo, target }: UpgradeInput): string {
  if (back !== true) return `to ${target}`;
  return undo === undefined ? 'back' : `back: ${undo}`;
}

/** Of a run, for Temporal UI. */
export function summaryOf({ cluster, back, undo, target }: UpgradeInput, { from }: UpgradePlan): string {
  if (undo !== undefined) return `Undo ${undo} of ${cluster.name}`;
  return `${back === true ? 'Take' : 'Upgrade'} ${cluster.name} ${back === true ? 'back ' : ''}from ${from} to ${target}`;
}
