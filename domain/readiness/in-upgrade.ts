/** Readiness as the first step of a hop judges it: what the plan itself deals with later does not stop it there. */
import { concerning, type Finding } from '../core/findings.ts';
import { parseStepId, type PhaseId, type StepId } from '../core/phases.ts';
import { compareKubernetesVersions, type KubernetesVersion, parseKubernetesVersion } from '../core/version.ts';
import { CATALOGUE } from './catalogue.ts';
import { ADD_ON } from './checks/eks/eks.ts';
import { NODE_POOL } from './checks/karpenter/node-pools.ts';
import type { Resource } from './model/check.ts';
import { nameOf } from './model/names.ts';
import type { ReadinessSettings } from './model/settings.ts';
import { isOptional, type SourceId } from './model/sources.ts';
import type { JudgedFinding } from './model/waivers.ts';
import { defined } from '../core/defined.ts';

interface Remedy {
  phase: PhaseId;
  /** Another phase that may do it. */
  or?: PhaseId;
  /** After "step karpenter-controller@1.34". */
  does: string;
  /** Only a step of the same hop is in time. */
  thisHop: boolean;
  /** Only where the step really moves what the finding is about. */
  moves?: (resources: readonly Resource[], hop: HopAhead) => boolean;
  /** Only hops to this minor and newer: a plan to an older one leaves it alone. */
  from?: KubernetesVersion;
}

/** Checks whose failure a later step deals with: applied wherever pre-checks judge, so that none of them stops what would mend it. */
export const DEALT_WITH: Readonly<Record<string, Remedy>> = {
  EKS004: {
    phase: 'add-ons-bridge',
    does: 'moves these add-ons first',
    thisHop: true,
    moves: (resources, { moving = [] }) => areAll(resources, ADD_ON, moving),
  },
  KAR001: {
    phase: 'karpenter-controller',
    or: 'karpenter-migration',
    does: 'changes Karpenter first',
    thisHop: true,
  },
  KAR008: { phase: 'karpenter-migration', does: 'migrates them and replaces their nodes', thisHop: false },
  KAR010: { phase: 'karpenter-migration', does: 'has them stored as v1', thisHop: false },
  IST001: { phase: 'istio', does: 'first moves the namespaces to a fitting revision', thisHop: true },
  KAR012: {
    phase: 'freeze-drift',
    does: 'points its NodePools at the class in belay.yaml',
    thisHop: false,
    from: { major: 1, minor: 33 },
    // A class is left once every pool that uses it is switched; the finding names those pools.
    moves: (resources, { switching = [] }) =>
      areAll(
        resources.filter(({ kind }) => kind === NODE_POOL),
        NODE_POOL,
        switching,
      ),
  },
  KAR015: { phase: 'karpenter-drift', does: 'pins a release with images, under the freeze', thisHop: false },
  K8S018: { phase: 'karpenter-drift', does: 'asks people at each node that cannot drain', thisHop: false },
};

/** Phases that give a lone istiod company. */
const MOVES_NODES: readonly PhaseId[] = ['node-groups', 'other-nodes', 'karpenter-drift'];

/** History keeps what people decide by; `belay check` has the rest. */
const TEXT_CHARACTERS = 400;
const NOTE_CHARACTERS = 100;

export interface HopAhead extends Pick<ReadinessSettings, 'optional'> {
  to: string;
  /** Steps that follow in the plan. */
  later: readonly StepId[];
  /** PodDisruptionBudgets of istiods that get a second replica while nodes move. */
  spared?: readonly string[];
  /** Add-ons that this hop moves before its control plane. */
  moving?: readonly string[];
  /** NodePools that a later step points at another EC2NodeClass. */
  switching?: readonly string[];
}

/** Findings for the step's report and its gate, small enough for history. */
export function hopFindings(findings: readonly JudgedFinding[], hop: HopAhead): Finding[] {
  return findings.map((finding) => {
    const { code, title, status, message, resources, remediation, waived } = finding;
    const later = laterStep(finding, hop);
    return {
      code,
      title,
      severity: later !== undefined || isBlindByChoice(finding, hop) ? 'recommended' : finding.severity,
      status,
      message: later === undefined ? clip(message) : `${clip(message)} ${later}`,
      ...concerning(resources.map(inWords)),
      ...(remediation === undefined ? {} : { remediation: clip(remediation) }),
      ...defined({ waived }),
    };
  });
}

/** What a later step does about a failure, as a sentence. */
function laterStep({ code, status, resources }: JudgedFinding, hop: HopAhead): string | undefined {
  const { to, later, spared = [] } = hop;
  const moving = later.find((id) => MOVES_NODES.includes(parseStepId(id).phase));
  const isSpared = ({ namespace, name }: Resource): boolean => spared.includes(`${namespace ?? ''}/${name}`);
  if (code === 'K8S018' && status === 'fail' && moving !== undefined && resources.length > 0 && resources.every(isSpared))
    return `Step ${moving} runs a second istiod as long as nodes move.`;
  const remedy = DEALT_WITH[code];
  if (status !== 'fail' || remedy === undefined) return undefined;
  if (remedy.from !== undefined && compareKubernetesVersions(parseKubernetesVersion(to), remedy.from) < 0) return undefined;
  const { moves } = remedy;
  if (moves !== undefined && !moves(resources, hop)) return undefined;
  const step = later.find((id) => {
    const { phase, minor } = parseStepId(id);
    return (phase === remedy.phase || phase === remedy.or) && (!remedy.thisHop || minor === to);
  });
  return step === undefined ? undefined : `Step ${step} ${remedy.does}.`;
}

const areAll = (resources: readonly Resource[], kind: string, names: readonly string[]): boolean =>
  resources.length > 0 && resources.every((each) => each.kind === kind && names.includes(each.name));

/** Unknown because nobody switched its source on, which is no reason to stop every upgrade. */
function isBlindByChoice({ code, status }: JudgedFinding, { optional }: HopAhead): boolean {
  const reads: readonly SourceId[] = CATALOGUE.find((check) => check.code === code)?.reads ?? [];
  return status === 'unknown' && !optional && reads.some(isOptional);
}

function inWords(resource: Resource): string {
  const { note } = resource;
  return note === undefined ? nameOf(resource) : `${nameOf(resource)} (${clip(note, NOTE_CHARACTERS)})`;
}

function clip(text: string, characters = TEXT_CHARACTERS): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
