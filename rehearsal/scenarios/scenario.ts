/** What a scenario says: a cluster, a way to go, the world's pace, who owns what, and how it should look in the end. */
import type { ManagedBy } from '../../domain/facts/facts.ts';
import type { World, WorldTempo } from '../world/world.ts';

/** amiSelectorTerms by EC2NodeClass that an upgrade is meant to change. */
export type AmiSelectors = Record<string, { alias?: string; id?: string }[]>;

interface ScenarioMetric {
  namespace: string;
  metric: string;
  dimensions?: Record<string, string>;
  stat: string;
}

/** As belay.yaml has it. */
export type ScenarioCheck = { failWhen: { operator: '>'; value: number } } & (
  | { query: string }
  | { cloudWatch: ScenarioMetric | { expression: string; metrics: Record<string, ScenarioMetric> } }
);

export interface Scenario {
  name: string;
  title: string;
  /** One or two sentences for people. */
  description: string;
  /** `name`: in belay.yaml; `eksName`: EKS calls it otherwise. */
  cluster: { name: string; eksName?: string; account: string; region: string };
  environment: string;
  from: string;
  to: string;
  /** World date at which it begins, ISO 8601: support dates do not rot. */
  startsAt: string;
  strategy?: 'every-hop' | 'once-at-the-end';
  tempo: WorldTempo;
  /** Owners for belay.yaml; what is absent is `eks` for AWS parts. */
  managedBy: Partial<Record<'controlPlane' | 'nodeGroups' | 'addOns' | 'karpenter' | 'istio', ManagedBy>>;
  /** For belay.yaml: how Karpenter's nodes are rolled, where it is not as usual. */
  karpenter?: Record<string, unknown>;
  /** For belay.yaml where the cluster has a mesh. */
  istio?: { moveBy: 'tag' | 'label'; waves?: number[] };
  /** For belay.yaml, as it is written there. */
  settings?: {
    role?: string;
    writeRole?: string;
    sessionTags?: boolean;
    controlPlane?: { logging: string[] };
    nodeGroups?: { selfManaged: 'refresh' | 'ask' };
    rollback?: { fargate: 'refuse' | 'stop' | 'stop-with-dns' };
    health?: { checks: Record<string, ScenarioCheck> };
    /** Beside its address, which every rehearsal has. */
    prometheus?: { matchers: string[] };
    windows?: { outside: 'refuse' | 'queue'; lastStart: string; maintenance: { start: string; end: string }[] };
  };
  /** For belay.yaml: it names no Prometheus. */
  prometheus?: 'none';
  /** For belay.yaml: silences are read. */
  alertmanager?: true;
  /** Karpenter is older than 1.0: Belay has the rights to migrate it. */
  migratesKarpenter?: true;
  /** With real parts: wall milliseconds that Karpenter's nodes, and pods, take to be Ready; absent: none. */
  kubelets?: { nodeReadyMs: readonly [least: number, most: number]; podReadyMs: number };
  /** With real parts: Karpenter launches as many nodes as it finds right, however many `build` has. */
  repacked?: true;
  /** Belay may ask istiod for the proxies that are connected to it. */
  meshDebug?: true;
  /** `eks:throttle@control-plane`, …, beside those of the command line. */
  faults?: string[];
  /** Other clusters of belay.yaml, in the same account and region, which Belay only reads. */
  neighbours?: { name: string; environment: string; version: string; build(world: World): void }[];
  /** What its operator mends before pressing a button. */
  mends?: Mend[];
  /** When the upgrade has completed, Alex asks for the way back: the expectations are for its end. */
  goesBack?: true;
  /** Whatever became of the upgrade, Alex then asks for the way back of these steps, one after the other. */
  undoes?: string[];
  /** The gate at which people say no. */
  declines?: string;
  /** Atlantis dies while it applies the control plane's update. */
  atlantisDies?: boolean;
  /** How the cluster should be when all went well. */
  expectations: {
    controlPlane: string;
    /** Absent: some nodes may stay as they are. */
    kubelets?: string;
    istioRevisionGone?: string;
    meshNamespaces?: string[];
    amiSelectors?: AmiSelectors;
    /** EC2NodeClass of every node, by NodePool. */
    nodeClasses?: Record<string, string>;
    /** Of the controller's version on; its objects stored as v1, nothing of 0.3x left; kubelet settings by EC2NodeClass. */
    karpenter?: { since: string; kubelet?: Record<string, unknown> };
  };
  /** It is loaded as it was found: nothing is brought to rest before it begins. */
  loaded?: true;
  /** What the twin does not play of it, in sentences. Asked once the world is built, before anything moves. */
  limits?: (world: World) => readonly string[];
  /** Fills an empty store and the EKS state. World time is before `startsAt`: a warm-up follows, but for what is `loaded`. */
  build(world: World): void;
}

/** Pace from the seeds: control plane and node group about ten minutes each, thirty nodes in twenty. */
export const DEFAULT_TEMPO: WorldTempo = {
  controlPlaneUpdateMs: 600_000,
  apiServerMovesAfterMs: 240_000,
  apiServerDropsMs: 60_000,
  addOnUpdateMs: 90_000,
  nodeLaunchMs: 60_000,
  nodeDrainMs: 30_000,
  karpenterLoopMs: 10_000,
  podStartMs: 20_000,
  insightsRefreshMs: 60_000,
};

export interface Mend {
  /** Id of the gate, and the choice that is pressed once this is done. */
  gate: string;
  choice: string;
  /** A line of the world's story. */
  does: string;
  act: (world: World) => void;
}
