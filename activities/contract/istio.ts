/** What workflows may ask about a mesh: revisions, waves, node agents, retirement. */
import type { Finding } from '../../domain/core/findings.ts';
import type { GatewayMove, IstioCanary, NodeAgentChange } from '../../domain/plan/model/changes.ts';
import type { AnalysisReading } from '../../domain/health/mesh/istioctl-analysis.ts';
import type { ConnectedReading } from '../../domain/health/mesh/wave-connections.ts';
import type { TrafficReading, WaveVerdict } from '../../domain/health/mesh/wave-health.ts';
import type { DeliveredChart, UninjectedFact } from '../../domain/facts/facts.ts';
import type { Delivered, ValueEdit } from './delivery.ts';
import type { Target, Waiting } from './target.ts';
import type {
  GatewayBefore,
  GatewayRef,
  HeldGateway,
  HeldPointer,
  IstioDelivery,
  LoneIstiod,
  NakedPod,
  OnDeleteSet,
  RestartResult,
  WaveBaseline,
  WaveBefore,
} from './istio-objects.ts';

export interface IstioActivities {
  /** Those that hold up a drain now, and those that Belay has raised and not put back. */
  findLoneIstiods(input: Target): Promise<{ lone: LoneIstiod[] }>;
  /** Two replicas, with a before-image annotation; one that is raised already is left alone. */
  raiseIstiod(input: Target & { istiod: LoneIstiod }): Promise<void>;
  /** Loops until its budget lets one go, for `timeoutMs`. Heartbeats. */
  awaitIstiodFree(input: Target & Waiting & { istiod: LoneIstiod; timeoutMs: number }): Promise<{ free: boolean; why?: string }>;
  /** Back to the before-image. `changedByOthers`: somebody set another number meanwhile, left alone. */
  lowerIstiod(input: Target & { istiod: LoneIstiod }): Promise<{ changedByOthers: boolean }>;
  /** Reads what delivers istio-base and the old revision, and what the object of the new one would be. `version`: of the chart; absent: the canary's. */
  examineIstioDelivery(input: Target & { kind: DeliveredChart['kind']; canary: IstioCanary; version?: string }): Promise<IstioDelivery>;
  /**
   * Makes the object that delivers the new revision, as a copy of the old one's, and has it delivered. One that is there and delivers this revision
   * is adopted. `owner`: it says another version, and its owner would put a change back. Idempotent by token.
   */
  createDeliveredRevision(
    input: Target & { old: DeliveredChart; canary: IstioCanary; version: string; token: string },
  ): Promise<{ chart: DeliveredChart; owner?: string }>;
  /** Loops until an object, whatever its name, has delivered the revision in any patch of its minor: somebody else adds it. Heartbeats. */
  awaitDeliveredRevision(input: Target & Waiting & { kind: DeliveredChart['kind']; canary: IstioCanary }): Promise<Delivered>;
  /** The object that delivers istio-cni or ztunnel, and what changes in its values: pins of the old image, a registry that ends; nothing: GitOps does not deliver it. */
  findDeliveredAgent(
    input: Target & { kind: DeliveredChart['kind']; agent: NodeAgentChange },
  ): Promise<{ chart?: DeliveredChart; values?: ValueEdit[] }>;
  /** The object that delivers a revision. `owner`: who keeps it as in Git; `cannot`: why it may not be removed as a whole. */
  findDeliveredRevision(
    input: Target & { kind: DeliveredChart['kind']; revision: string },
  ): Promise<{ chart?: DeliveredChart; owner?: string; cannot?: string; manifest?: string }>;
  /**
   * Looks at the conditions of retiring once more, then deletes the object so that what it has installed goes with it. One that is gone, or going,
   * is left alone. Throws InvalidRequest where the revision is in use, or the object is suspended, kept by somebody or shared.
   */
  removeDeliveredRevision(input: Target & { chart: DeliveredChart; revision: string; successor: string }): Promise<void>;
  /** Installs the new revision with helm, values copied from the old release. Looks at the release first. Only where managedBy is helm. */
  installIstioRevision(input: Target & { canary: IstioCanary; chart?: string; token: string }): Promise<{ version: string }>;
  /**
   * Loops until istiod of the revision is Available, its webhook has a CA bundle, Istio's CRDs are Established and the default validator calls a
   * Service that is there. `version` as running; `lack`: what is still missing. `delivered`: the chart of this minor has been installed, so it has
   * `timing.rolloutTimeoutMs`, else as long as people are given; an istiod of another minor is then not waited for: `pinned`, its image is held by
   * values. Heartbeats.
   */
  awaitIstioRevision(
    input: Target & Waiting & { revision: string; minor: string; delivered?: boolean },
  ): Promise<{ version: string; timedOut: boolean; lack?: string; pinned?: boolean }>;
  /** Before-images of the wave's namespaces, for the way back. Small. */
  readWave(input: Target & { namespaces: string[] }): Promise<{ before: WaveBefore[] }>;
  /**
   * Labels the namespaces with istio.io/rev=<revision> and removes istio-injection; restarts their workloads with `restartedAt`; before-image
   * annotation. Where somebody else keeps the labels of one that does not select the revision yet, nothing is done. Idempotent.
   */
  moveNamespaces(input: Target & Uninjected & { namespaces: string[]; revision: string; restartedAt: string }): Promise<RestartResult>;
  /** Loops until the namespaces select the revision by their labels, whoever changes these. Heartbeats. */
  awaitNamespaceLabels(input: Target & Waiting & { namespaces: string[]; revision: string }): Promise<{ moved: boolean; left: string[] }>;
  /** Points the revision tag at `revision` (webhook labels, service, caBundle) and restarts the namespaces' workloads. `held`: nothing was done. */
  moveTag(
    input: Target & Uninjected & { tag: string; revision: string; namespaces: string[]; restartedAt: string },
  ): Promise<RestartResult & { held?: HeldPointer }>;
  /** Loops until the tags, and the default validator where asked for, point at the revision. Heartbeats. */
  awaitIstioPointers(
    input: Target & Waiting & { tags: string[]; validator: boolean; revision: string },
  ): Promise<{ moved: boolean; left: string[] }>;
  /** Tag `default` and the default validator from `revision` to its successor, where they still point at it. Idempotent. */
  moveDefaults(input: Target & { revision: string; successor: string }): Promise<{ held: HeldPointer[] }>;
  /**
   * Deletes the pods of OnDelete sets that run another revision, one by one, each when all of its set are Ready again, then the naked pods.
   * Idempotent: what runs the revision is left alone. `stuck`: a set that did not become Ready in time. Heartbeats.
   */
  rollByHand(
    input: Target & Waiting & { sets: OnDeleteSet[]; pods?: NakedPod[]; revision: string },
  ): Promise<{ deletedCount: number; stuck?: string }>;
  /** The same for sets that go back to the revision they came from. */
  rollBackByHand(input: Target & Waiting & { sets: OnDeleteSet[]; revision: string }): Promise<{ deletedCount: number; stuck?: string }>;
  /** Gateways as they are. One that is gone is left out. */
  readGateways(input: Target & { gateways: Pick<GatewayMove, keyof GatewayRef | 'how'>[] }): Promise<{ before: GatewayBefore[] }>;
  /**
   * Gives gateways that name a revision the new one, and restarts those whose tag has moved. Idempotent; before-image annotation. `held`: those that
   * somebody else keeps, or that only another rendering moves: nothing was done to them.
   */
  moveGateways(
    input: Target & { gateways: Pick<GatewayMove, keyof GatewayRef | 'how'>[]; revision: string; restartedAt: string },
  ): Promise<RestartResult & { held?: HeldGateway[] }>;
  /** Loops until these gateways name the revision. Heartbeats. */
  awaitGateways(input: Target & Waiting & { gateways: GatewayRef[]; revision: string }): Promise<{ moved: boolean; left: string[] }>;
  /** Labels and tags back exactly, same restart; without `restartedAt` none. `held`: tags that are not back. */
  moveBack(
    input: Target &
      Uninjected & {
        before: WaveBefore[];
        tags?: { tag: string; revision: string }[];
        gateways?: GatewayBefore[];
        restartedAt?: string;
      },
  ): Promise<{ restarted: number; held?: HeldPointer[] }>;
  /** The traffic of the namespaces now: taken before a wave moves, it is what `awaitProxies` compares with. One small entry per namespace. `revision`: whereto, for istioctl. */
  readWaveTraffic(
    input: Target & { namespaces: string[]; gateways?: GatewayRef[]; revision?: string; labels?: true },
  ): Promise<WaveBaseline>;
  /**
   * Loops until every rollout is complete and every pod's annotation istio.io/rev and proxy image are right, then watches on for `watchMs`;
   * with `before` its traffic too, and no longer than it takes to see it fail. Heartbeats.
   */
  awaitProxies(
    input: Target &
      Waiting &
      Uninjected & {
        namespaces: string[];
        revision: string;
        minor: string;
        watchMs?: number;
        before?: TrafficReading;
        /** Proxies before the move: are there as many more as the wave has pods? */
        connected?: ConnectedReading;
        /** What istioctl said before the move. */
        analysis?: AnalysisReading;
        /** OnDelete sets whose pods were deleted: they count as well. */
        rolled?: OnDeleteSet[];
        /** Gateways as they were before the move: their pods count as well, their Services have to be as before. */
        gateways?: GatewayBefore[];
        /** Namespaces that were moved by their labels: when one does not select the revision any more, the loop ends. */
        labelled?: string[];
      },
  ): Promise<{
    ok: boolean;
    podCount: number;
    wrong: string[];
    timedOut: boolean;
    traffic?: WaveVerdict;
    connections?: WaveVerdict;
    /** Services and load balancers against those before; `fail`: an address has changed. */
    gateways?: WaveVerdict;
    /** By istioctl; `fail`: errors that were not there before the move. */
    analysis?: WaveVerdict;
    /** Somebody has put the labels of these back: what they say now. */
    reverted?: { namespace: string; now: string }[];
  }>;
  /** Those that are not at their minor yet, or still rolling. */
  readNodeAgents(input: Target & { agents: NodeAgentChange[] }): Promise<{ behind: NodeAgentChange[] }>;
  /** Upgrades istio-cni or ztunnel with helm, its values kept. Looks at the release first. Only where managedBy is helm. */
  upgradeNodeAgent(input: Target & { agent: NodeAgentChange; chart?: string; token: string }): Promise<{ version: string }>;
  /**
   * Loops until the DaemonSet is at its minor and rolled out. `onDelete`: its pods change only with their nodes, and are not waited for. `delivered`:
   * the chart of this minor has been installed, so an older image is not waited for: `pinned`, it is held by values. Heartbeats.
   */
  awaitNodeAgent(
    input: Target & Waiting & { agent: NodeAgentChange; askedOthers?: boolean; delivered?: boolean },
  ): Promise<{ done: boolean; lack?: string; onDelete?: boolean; pinned?: boolean }>;
  /** The conditions of retiring (domain.md 2.4 I6), each a finding. */
  checkRetirement(input: Target & { revision: string; successor: string }): Promise<{ findings: Finding[] }>;
  /** Points the default tag / validator at the successor, then uninstalls with helm. Only where managedBy is helm. */
  retireIstioRevision(input: Target & { revision: string; successor: string; token: string }): Promise<void>;
  /** Removes the before-image annotations of moved namespaces: called when there is no way back any more. Idempotent. */
  forgetWaves(input: Target & { namespaces: string[]; gateways?: GatewayRef[] }): Promise<void>;
  /**
   * Loops until the revision's Deployment and webhooks are gone. `sweep`: as soon as istiod is gone, webhooks that still call it and that nobody
   * owns are deleted, since no pod could be created where they match. `uninstalled`: by Belay, so that nobody else is waited for. Heartbeats.
   */
  awaitIstioRevisionGone(
    input: Target & Waiting & { revision: string; sweep?: boolean; uninstalled?: boolean },
  ): Promise<{ gone: boolean; left: string[]; swept?: string[] }>;
}

interface Uninjected {
  /** Workloads that istiod gave no proxy when the plan was made: not restarted, and not wrong without one. */
  uninjected?: UninjectedFact[];
}
