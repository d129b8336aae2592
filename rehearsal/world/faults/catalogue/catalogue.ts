/** All faults by name, and the older names that still work. */
import { CLUSTER_FAULTS } from './cluster.ts';
import { EKS_FAULTS } from './eks.ts';
import { OTHER_FAULTS } from './others.ts';
import type { Fault } from '../fault.ts';
import { LIES } from '../lies.ts';

export const FAULTS: readonly Fault[] = [...EKS_FAULTS, ...CLUSTER_FAULTS, ...OTHER_FAULTS, ...LIES];

/** Shorter ways to write some of them. */
export const FAULT_ALIASES: Readonly<Record<string, string>> = {
  'control-plane-fails': 'eks:update-failed=InsufficientFreeAddresses@control-plane',
  'node-group-fails': 'node:never-ready',
  'add-on-conflict': 'eks:add-on-conflict',
  'bad-ami': 'karpenter:never-registers',
  throttling: 'eks:throttle@any-change',
  'temporal:down': 'temporal:cut',
  'temporal:slow': 'temporal:latency',
};

export const faultNamed = (name: string): Fault | undefined => FAULTS.find((fault) => fault.name === name);
