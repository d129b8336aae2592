/** One look at an Auto Scaling group and the nodes of the cluster: each is read when it is first asked for, and once. */
import type { Instance } from '@aws-sdk/client-auto-scaling';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { type Condition, isTrue } from '../../clients/kubernetes/objects.ts';
import type { KubeObject, KubernetesPort } from '../../contract/ports.ts';
import { listServed, NODES } from '../../kubernetes/objects/lists.ts';
import { requireGroup } from './group-calls.ts';

type Node = KubeObject<{ providerID?: string }, { conditions?: Condition[] }>;

/** A node by the instance that it runs on. */
interface NodeOfInstance {
  name: string;
  isReady: boolean;
}

export class GroupLook {
  readonly group: string;
  readonly #clients: AccountClients;
  readonly #kubernetes: KubernetesPort;
  #instances: Promise<Instance[]> | undefined;
  #nodes: Promise<ReadonlyMap<string, NodeOfInstance>> | undefined;

  constructor(clients: AccountClients, kubernetes: KubernetesPort, group: string) {
    this.group = group;
    this.#clients = clients;
    this.#kubernetes = kubernetes;
  }

  instances(): Promise<Instance[]> {
    this.#instances ??= requireGroup(this.#clients, this.group).then(({ Instances = [] }) => Instances);
    return this.#instances;
  }

  /** Ids of those that a lifecycle hook keeps from ending. */
  async held(): Promise<string[]> {
    return (await this.instances()).flatMap(({ InstanceId, LifecycleState }) =>
      InstanceId !== undefined && LifecycleState === 'Terminating:Wait' ? [InstanceId] : [],
    );
  }

  /** Of the whole cluster, by the id of their instance. */
  nodes(): Promise<ReadonlyMap<string, NodeOfInstance>> {
    this.#nodes ??= this.#readNodes();
    return this.#nodes;
  }

  async #readNodes(): Promise<ReadonlyMap<string, NodeOfInstance>> {
    const nodes = new Map<string, NodeOfInstance>();
    await listServed<Node>(this.#kubernetes, NODES, (node) => {
      const instance = node.spec?.providerID?.split('/').at(-1);
      if (instance !== undefined) nodes.set(instance, { name: node.metadata.name, isReady: isTrue(node, 'Ready') });
      return undefined;
    });
    return nodes;
  }
}
