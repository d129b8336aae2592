/** The phases of an upgrade, in the order of one hop (PRODUCT: "Order of one hop"). The array is the policy. */
export const PHASES = [
  'pre-checks', // read-only: is the cluster fit for the next minor
  'control-plane-logging', // logs that belay.yaml wants are switched on before the first hop
  'karpenter-migration', // Karpenter's objects to the API v1, which all later phases speak
  'karpenter-controller', // to a version that supports both minors
  'istio', // canary revision(s) that support both minors
  'add-ons-bridge', // every add-on but kube-proxy to a version valid on both minors
  'freeze-drift', // Karpenter may not replace nodes while the control plane moves
  'control-plane', // one minor
  'bake', // verify, then watch for a while
  'node-groups', // managed node groups
  'other-nodes', // what neither EKS's groups nor Karpenter replace: pods on Fargate, self-managed nodes, Auto Mode's own
  'karpenter-drift', // freeze lifted in paced steps, Karpenter replaces its nodes
  'add-ons-target', // the target's default versions, kube-proxy last
  'validation', // the whole cluster at the target
] as const;

/** Of a way back, beside freeze-drift, karpenter-drift, node-groups and validation; in its order. */
export const BACK_PHASES = [
  'rollback-checks', // read-only: does EKS take the control plane back, and does everything else bear it
  'add-ons-back', // what does not run on the older minor, kube-proxy first
  'control-plane-back', // to the minor that it came from
  'node-classes-back', // EC2NodeClasses choose as before, and the freeze goes
] as const;

export const ALL_PHASES = [...PHASES, ...BACK_PHASES] as const;

export type PhaseId = (typeof ALL_PHASES)[number];

const READS_ONLY: readonly PhaseId[] = ['pre-checks', 'rollback-checks', 'bake', 'validation'];

export const changesSomething = (phase: PhaseId): boolean => !READS_ONLY.includes(phase);

/** `<phase>@<minor>`, e.g. `control-plane@1.33`: a phase placed in the hop that ends at that minor. */
export type StepId = `${PhaseId}@${string}`;

export function stepId(phase: PhaseId, toMinor: string): StepId {
  return `${phase}@${toMinor}`;
}

/** undefined where a step id is of no known phase. */
export function phaseOf(id: string): PhaseId | undefined {
  return ALL_PHASES.find((phase) => id.startsWith(`${phase}@`));
}

/** The phase and minor of a step id; throws a RangeError for anything else. */
export function parseStepId(id: string): { phase: PhaseId; minor: string } {
  const at = id.indexOf('@');
  const phase = ALL_PHASES.find((known) => known === id.slice(0, at));
  if (at < 0 || phase === undefined) throw new RangeError(`"${id}" is not a step id such as control-plane@1.33`);
  return { phase, minor: id.slice(at + 1) };
}
