/** What one play has seen: written down as it happens, added up over plays afterwards. */
import type { BlockReason, DowntimeForecast, GateForecast, NodesAt } from '../types.ts';

export interface PlayedStep {
  startMs: number;
  endMs: number;
}

export interface PlayedBlocker {
  /** undefined: the node itself forbids it. */
  pod: number | undefined;
  node: number;
  reason: BlockReason;
  budgets: number[];
}

export type PlayedGate = Omit<GateForecast, 'share'>;

export interface PlayedDowntime {
  ms: number;
  why: DowntimeForecast['why'];
}

export class Ledger {
  steps: PlayedStep[] = [];
  totalMs = 0;
  readonly gates = new Map<string, PlayedGate>();
  /** By pod, or by node where no pod blocks it. */
  readonly blockers = new Map<string, PlayedBlocker>();
  /** By workload. */
  readonly evictions = new Map<number, number>();
  readonly downtimes = new Map<number, PlayedDowntime>();
  /** "karpenter general" → nodes. */
  readonly replaced = new Map<string, number>();
  /** Instance types of nodes that came or went. */
  readonly types = new Set<string>();
  volumesMoved = 0;
  surgeNodeMs = 0;
  /** At the prices that are known. */
  surgeCost = 0;
  peakNodes = 0;
  peakVcpus = 0;
  peakAddresses = 0;
  /** Beyond the beginning, by zone. */
  readonly peakByZone: number[] = [];
  readonly timeline: NodesAt[] = [];

  /** `node`: its name. The first reason counts. */
  blocked(node: string, blocker: PlayedBlocker): void {
    const key = `${node} ${blocker.pod ?? ''}`;
    if (!this.blockers.has(key)) this.blockers.set(key, blocker);
  }

  gate(gate: PlayedGate): void {
    const key = `${gate.step} ${gate.title}`;
    if (!this.gates.has(key)) this.gates.set(key, gate);
  }

  replace(owner: string, name: string, count = 1): void {
    const key = `${owner} ${name}`;
    this.replaced.set(key, (this.replaced.get(key) ?? 0) + count);
  }

  evict(workload: number): void {
    this.evictions.set(workload, (this.evictions.get(workload) ?? 0) + 1);
  }

  down(workload: number, ms: number, why: DowntimeForecast['why']): void {
    const known = this.downtimes.get(workload);
    this.downtimes.set(workload, { ms: (known?.ms ?? 0) + ms, why: known?.why ?? why });
  }
}
