/**
 * One node that Karpenter launches to show that it can: a NodeClaim of no NodePool, so that no budget, limit or freeze counts it, with a taint
 * that keeps pods away and an end of its own. Karpenter's own suite for AWS tests such claims ("StandaloneNodeClaim", test/suites/nodeclaim).
 */
import type { DeliveryActivities } from '../../contract/delivery.ts';
import type { KubernetesDeps, KubernetesPort } from '../../contract/ports.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { conditionOf, isTrue, type NodeClaim, type NodePool } from '../../clients/kubernetes/objects.ts';
import { NODE_CLAIMS, poolRef } from '../objects/node-pools.ts';
import { defined } from '../../../domain/core/defined.ts';

/** Says whose claim it is. */
const MARK = 'belay.dev/canary';
/** On its NodeClaim: the NodePool that it stands for. */
export const CANARY_OF = 'belay.dev/canary-of';
/** Pods of workloads stay away; those of the node itself (CNI, kube-proxy) tolerate everything. */
const TAINT = { key: MARK, value: 'true', effect: 'NoSchedule' };
/** Karpenter itself takes the node away when nobody else does: expiry needs no Belay. */
const ENDS = { expireAfter: '1h', terminationGracePeriod: '2m' };
/** In the order in which they become True. */
const STAGES = ['Launched', 'Registered', 'Initialized'];

const claimRef = (name: string) => ({ ...NODE_CLAIMS, name });

export function createCanaryActivities(deps: KubernetesDeps): Pick<DeliveryActivities, 'tryCanaryNode' | 'removeCanaryNode'> {
  return {
    async tryCanaryNode({ cluster, timing, nodePool, name, timeoutMs }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const pool = await port.get<NodePool>(poolRef(nodePool));
      if (pool === undefined) return { kind: 'failed', why: `there is no NodePool ${nodePool}` };
      await launch(port, pool, name);
      let seen = 'Karpenter has not begun to launch it';
      const doing = `waiting for the canary node of NodePool ${nodePool}`;
      const ended = await waitUntil<{ node: string } | 'gone'>({ timing, timeoutMs, doing }, async () => {
        const claim = await port.get<NodeClaim>(claimRef(name));
        if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return { done: true, value: 'gone' };
        seen = stageOf(claim) ?? seen;
        const node = claim.status?.nodeName;
        return isTrue(claim, 'Initialized') && node !== undefined ? { done: true, value: { node } } : { done: false, note: seen };
      });
      if (ended.kind === 'timed-out') return { kind: 'failed', why: `it is not Ready in time: ${seen}` };
      return ended.value === 'gone' ? { kind: 'failed', why: `Karpenter gave it up: ${seen}` } : { kind: 'ready', ...ended.value };
    },
    async removeCanaryNode({ cluster, timing, name, timeoutMs }) {
      const port = (await deps.clusterPorts(cluster)).kubernetes;
      const ended = await waitUntil<true>({ timing, timeoutMs, doing: `removing NodeClaim ${name}` }, async () => {
        const claim = await port.get<NodeClaim>(claimRef(name));
        if (claim === undefined || claim.metadata.labels?.[MARK] === undefined) return { done: true, value: true };
        if (claim.metadata.deletionTimestamp === undefined) await port.delete(claimRef(name), { uid: claim.metadata.uid });
        return { done: false, note: `NodeClaim ${name} is being removed` };
      });
      return { gone: ended.kind === 'done' };
    },
  };
}

/** As the pool's template has it. One that is there already is taken up. */
async function launch(port: KubernetesPort, { spec, metadata }: NodePool, name: string): Promise<void> {
  const { nodeClassRef, requirements = [], startupTaints } = spec?.template?.spec ?? {};
  try {
    await port.create(NODE_CLAIMS, {
      apiVersion: NODE_CLAIMS.apiVersion,
      kind: 'NodeClaim',
      metadata: { name, labels: { [MARK]: 'true' }, annotations: { [CANARY_OF]: metadata.name } },
      spec: {
        nodeClassRef,
        requirements,
        taints: [TAINT],
        ...defined({ startupTaints }),
        resources: { requests: { cpu: '1', memory: '1Gi' } },
        ...ENDS,
      },
    });
  } catch (error) {
    if (failureType(error) !== 'Conflict') throw error;
  }
}

/** The first stage that it has not reached, in Karpenter's words. undefined: nothing was said of it yet. */
function stageOf(claim: NodeClaim): string | undefined {
  const open = STAGES.find((stage) => !isTrue(claim, stage));
  if (open === undefined) return 'its NodeClaim names no node';
  const condition = conditionOf(claim, open);
  if (condition === undefined) return open === 'Launched' ? undefined : `not ${open} yet`;
  const { reason = '', message = '' } = condition;
  return `${open} is ${condition.status} (${[reason, message].filter((part) => part !== '').join(': ')})`.slice(0, 300);
}
