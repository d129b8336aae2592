/** Walks through a plan on paper: what the cluster is before and after each step. The rules judge these moments. */
import { tryComponentVersion } from '../../core/component-version.ts';
import type { ClusterFacts } from '../../facts/facts.ts';
import type { KubernetesVersion } from '../../core/version.ts';
import { compareKubernetesVersions, tryKubernetesVersion } from '../../core/version.ts';
import { afterChanges } from './add-ons.ts';
import { afterCanary, type Mesh, meshOf } from '../istio/mesh.ts';
import { controlPlaneMinor, type NodeSet, nodeSets } from './nodes.ts';
import type { PlannedStep, UpgradePlan } from '../model/types.ts';
import type { AddOnVersions } from '../../facts/add-on-versions.ts';

export interface ClusterState {
  controlPlane: KubernetesVersion;
  /** undefined: no Karpenter. */
  karpenter?: string;
  mesh: Mesh;
  addOns: AddOnVersions;
  nodes: readonly NodeSet[];
  /** Node pools that may not replace nodes. */
  frozenPools: readonly string[];
}

export interface Moment {
  step: PlannedStep;
  before: ClusterState;
  after: ClusterState;
}

/** The cluster before the first step. */
export function initialState(facts: ClusterFacts): ClusterState {
  return {
    controlPlane: controlPlaneMinor(facts),
    karpenter: facts.karpenter?.version,
    mesh: facts.istio === undefined ? { inUse: [], idle: [] } : meshOf(facts.istio),
    addOns: Object.fromEntries(facts.addOns.map((addOn) => [addOn.name, addOn.version])),
    nodes: nodeSets(facts),
    frozenPools: [],
  };
}

/** One moment per step, in the plan's order. */
export function replay(plan: UpgradePlan, facts: ClusterFacts): Moment[] {
  let state = initialState(facts);
  return plan.steps.map((step) => {
    const before = state;
    state = afterStep(before, step);
    return { step, before, after: state };
  });
}

function afterStep(state: ClusterState, { params }: PlannedStep): ClusterState {
  switch (params.phase) {
    case 'karpenter-migration':
    case 'karpenter-controller':
      return { ...state, karpenter: params.to };
    case 'istio':
      return { ...state, mesh: params.canaries.filter(isReadable).reduce(afterCanary, state.mesh) };
    case 'add-ons-bridge':
    case 'add-ons-target':
      return { ...state, addOns: afterChanges(state.addOns, params.changes) };
    case 'freeze-drift':
      return { ...state, frozenPools: params.nodePools };
    case 'control-plane': {
      const to = tryKubernetesVersion(params.to) ?? state.controlPlane;
      // EKS Auto Mode rolls its own nodes after the control plane, but for those of frozen pools: which they are, kubelets do not say.
      const isThawed = state.frozenPools.length === 0;
      return { ...state, controlPlane: to, nodes: move(state.nodes, to, (set) => set.owner === 'auto-mode' && isThawed) };
    }
    case 'node-groups': {
      const to = tryKubernetesVersion(params.to);
      const named = params.groups.map((group) => group.name);
      return to === undefined ? state : { ...state, nodes: move(state.nodes, to, (set) => isInGroups(set, named)) };
    }
    case 'other-nodes': {
      const to = tryKubernetesVersion(params.to);
      const { fargate, selfManaged, autoMode } = params;
      const moved = ({ owner }: NodeSet): boolean =>
        (owner === 'fargate' && fargate !== undefined) ||
        (owner === 'auto-mode' && autoMode !== undefined) ||
        (owner === 'self-managed' && selfManaged !== undefined);
      return to === undefined ? state : { ...state, nodes: move(state.nodes, to, moved) };
    }
    case 'karpenter-drift': {
      const to = tryKubernetesVersion(params.to);
      const frozenPools = state.frozenPools.filter((pool) => !params.nodePools.includes(pool));
      // Edited node classes let their nodes go, too.
      const freed = params.moves !== undefined && params.pinnedPools === undefined;
      const sets = freed ? state.nodes.map((set) => (set.owner === 'karpenter' ? { ...set, movable: true } : set)) : state.nodes;
      const nodes = to === undefined ? sets : move(sets, to, (set) => set.owner === 'karpenter' || set.owner === 'auto-mode');
      return { ...state, frozenPools, nodes };
    }
    // The rules judge upgrades; a way back has conditions of its own (domain/plan/rollback).
    case 'rollback-checks':
    case 'add-ons-back':
    case 'control-plane-back':
    case 'node-classes-back':
    case 'pre-checks':
    case 'control-plane-logging':
    case 'bake':
    case 'validation':
      return state;
  }
}

function isInGroups(set: NodeSet, named: readonly string[]): boolean {
  return set.owner === 'node-group' && (set.group === undefined || named.includes(set.group));
}

/** Movable sets that `concerns` and that are behind come to `to`. */
function move(nodes: readonly NodeSet[], to: KubernetesVersion, concerns: (set: NodeSet) => boolean): NodeSet[] {
  return nodes.map((set) => (set.movable && concerns(set) && compareKubernetesVersions(set.minor, to) < 0 ? { ...set, minor: to } : set));
}

function isReadable(canary: { toMinor: string }): boolean {
  return tryComponentVersion(canary.toMinor) !== undefined;
}
