/** Things that a rehearsal can make go wrong, once each. */
import type { World } from './world.ts';

export const FAULTS = {
  'control-plane-fails': 'the next control-plane update fails for want of free addresses; a new one succeeds',
  'node-group-fails': 'the next node group update fails because new nodes do not join; a new one succeeds',
  'add-on-conflict': 'the next add-on update without resolveConflicts PRESERVE or OVERWRITE finds a configuration conflict',
  'bad-ami': 'the next node that Karpenter launches never registers',
  throttling: 'the AWS stand-in refuses the next three mutations with ThrottlingException',
} as const;

export type FaultName = keyof typeof FAULTS;

export const isFault = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);

/** Throws a RangeError that lists the names. */
export function parseFaults(names: readonly string[]): FaultName[] {
  return names.map((name) => {
    if (isFault(name)) return name;
    throw new RangeError(`there is no fault "${name}": choose from ${Object.keys(FAULTS).join(', ')}`);
  });
}

/** True once: takes the fault out of the world. */
export function strikes(world: World, name: FaultName): boolean {
  return world.faults.delete(name);
}
