/** One play: everything that happens in it, put together. */
import type { Cluster } from '../model/cluster.ts';
import type { NodeLengths } from '../measure/node-lengths.ts';
import { Random } from '../measure/random.ts';
import { Budgets } from './budgets.ts';
import { PlayClock } from './clock.ts';
import { Drain, type DrainOptions } from './drain.ts';
import { Karpenter } from './karpenter.ts';
import { Ledger } from './ledger.ts';
import { Nodes } from './nodes.ts';
import { Pods } from './pods.ts';
import { Provisioner } from './provisioner.ts';
import { Scheduler } from './scheduler.ts';
import { Services } from './services.ts';
import { Topology } from './topology.ts';

export class Play {
  readonly clock = new PlayClock();
  readonly ledger = new Ledger();
  readonly random: Random;
  readonly cluster: Cluster;
  readonly lengths: NodeLengths;
  readonly nodes: Nodes;
  readonly topology: Topology;
  readonly scheduler: Scheduler;
  readonly budgets: Budgets;
  readonly services: Services;
  readonly pods: Pods;
  readonly provisioner: Provisioner;
  readonly karpenter: Karpenter;
  /** Minor that new nodes of EKS's and Karpenter's run: the control plane's. */
  minor: number;
  /** When the control plane has moved last. */
  movedAtMs = 0;
  /** Of the cluster's time, in ms, when the play begins: schedules of budgets count from it. */
  readonly beganAtMs: number;

  constructor(cluster: Cluster, lengths: NodeLengths, of: { seed: number; minor: number; beganAtMs: number }) {
    this.cluster = cluster;
    this.lengths = lengths;
    this.random = new Random(of.seed);
    this.minor = of.minor;
    this.beganAtMs = of.beganAtMs;
    this.nodes = new Nodes(cluster, this.clock, this.ledger);
    this.topology = new Topology(cluster, this.nodes);
    this.scheduler = new Scheduler(cluster, this.nodes, this.topology);
    this.budgets = new Budgets(cluster);
    this.services = new Services(cluster, this.clock, this.ledger);
    this.pods = new Pods(this);
    this.provisioner = new Provisioner(this);
    this.karpenter = new Karpenter(this);
  }

  drain(node: number, options: DrainOptions): Drain {
    return new Drain(node, this, options);
  }

  /** The instance ends; then the node is gone. */
  remove(node: number, onGone: () => void): void {
    this.nodes.leave(node, 'ending');
    this.clock.after(this.lengths.use(this.lengths.removal).sample(this.random), () => {
      this.nodes.goes(node);
      this.provisioner.retry();
      onGone();
    });
  }
}
