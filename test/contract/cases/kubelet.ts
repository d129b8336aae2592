/** Nodes that exist only on paper, and the test in the place of their kubelets. */
import type { Conversation, Json } from '../conversation.ts';
import { namespace, node } from '../objects.ts';

export interface Stage {
  /** /api/v1/namespaces/NAME */
  core: string;
  /** /apis/apps/v1/namespaces/NAME */
  apps: string;
  nodes: string[];
}

const CAPACITY = { cpu: '4', memory: '16Gi', pods: '20' };

/** A namespace of its own and ready nodes, NAME-0 to NAME-n. */
export async function stage(talk: Conversation, name: string, nodeCount = 2): Promise<Stage> {
  hideHashes(talk);
  await talk.post('/api/v1/namespaces', namespace(name), { quiet: true });
  const nodes = Array.from({ length: nodeCount }, (_, index) => `${name}-${index}`);
  for (const each of nodes) {
    const labels = { 'kubernetes.io/hostname': each, stage: name };
    await talk.post('/api/v1/nodes', node(each, { labels }), { quiet: true });
    await report(talk, each, 'True');
  }
  for (const each of nodes) await talk.until(`/api/v1/nodes/${each}`, (body) => !body.spec.taints);
  return { core: `/api/v1/namespaces/${name}`, apps: `/apis/apps/v1/namespaces/${name}`, nodes };
}

/** Takes all away. First what may still want a node: that of the next case would be as good as any. */
export async function strike(talk: Conversation, { nodes, core }: Stage): Promise<void> {
  await talk.delete(core, undefined, { quiet: true, lenient: true });
  const placed = (list: Json): boolean => list.items.every(({ spec }: Json) => spec.nodeName);
  await talk.until(`${core}/pods`, placed, () => runPods(talk, core));
  for (const each of nodes) await talk.delete(`/api/v1/nodes/${each}`, undefined, { quiet: true, lenient: true });
}

/** What a kubelet says of its node. */
export async function report(talk: Conversation, name: string, ready: 'True' | 'False'): Promise<void> {
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const condition = { type: 'Ready', status: ready, reason: 'Kubelet', message: 'says so', lastHeartbeatTime: at, lastTransitionTime: at };
  const status = { capacity: CAPACITY, allocatable: CAPACITY, conditions: [condition] };
  await talk.patch(`/api/v1/nodes/${name}/status`, 'strategic', { status }, { quiet: true });
}

/** Starts pods that have a node and removes those that are told to end, until `holds` is true of what `path` answers. */
export async function runUntil(talk: Conversation, { core }: Stage, path: string, holds: (body: Json) => boolean): Promise<void> {
  await talk.until(path, holds, () => runPods(talk, core));
}

async function runPods(talk: Conversation, core: string): Promise<void> {
  const { body } = await talk.get(`${core}/pods`, { quiet: true });
  for (const { metadata, spec, status } of body.items as Json[]) {
    const path = `${core}/pods/${metadata.name}`;
    if (metadata.deletionTimestamp) await talk.delete(path, { gracePeriodSeconds: 0 }, { quiet: true, lenient: true });
    else if (spec.nodeName && status.phase === 'Pending') {
      const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const conditions = ['Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True', lastTransitionTime: at }));
      await talk.patch(
        `${path}/status`,
        'strategic',
        { status: { phase: 'Running', startTime: at, conditions } },
        { quiet: true, lenient: true },
      );
    }
  }
}

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

function hideHashes(talk: Conversation): void {
  talk.normaliser.hide(new RegExp(`\\b(web|agent|db)-[${LETTERS}]{5,10}(-[${LETTERS}]{5})?(?![a-z0-9-])`, 'g'), '$1-<hash>');
  talk.normaliser.hide(new RegExp(`^[${LETTERS}]{6,10}$`), '<hash>');
  talk.normaliser.hide(new RegExp(`(pod-template-hash=)[${LETTERS}]{5,10}`, 'g'), '$1<hash>');
}
