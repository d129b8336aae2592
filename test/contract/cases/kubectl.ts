/** kubectl, unmodified: what it prints, and how it ends. */
import { type Conversation, type Json } from '../conversation.ts';
import { budget, configMap, workload } from '../objects.ts';
import { TOKENS } from '../server.ts';
import type { Area } from '../suite.ts';
import { runUntil, type Stage, stage, strike } from './kubelet.ts';

const labelled = { labels: { seen: 'yes' } };

const AGE = /\b\d+(s|m\d+s|m|d)\b/g;

async function onStage(talk: Conversation, name: string, nodes: number, act: (set: Stage) => Promise<void>): Promise<void> {
  talk.normaliser.hide(AGE, '<age>');
  const set = await stage(talk, name, nodes);
  try {
    await act(set);
  } finally {
    await strike(talk, set);
  }
}

const available = (replicas: number) => (body: Json) =>
  body.status.observedGeneration === body.metadata.generation &&
  body.status.updatedReplicas === replicas &&
  body.status.availableReplicas === replicas &&
  body.status.replicas === replicas;

/** Runs kubectl while the test plays the kubelet. */
async function whileRunning(talk: Conversation, set: Stage, args: string[]): Promise<void> {
  const state = { done: false };
  const command = talk.kubectl(args).finally(() => (state.done = true));
  await runUntil(talk, set, set.core, () => state.done);
  await command;
}

export const kubectl: Area = {
  name: 'kubectl',
  cases: {
    'labels, annotations, patches': (talk) =>
      onStage(talk, 'ctl-write', 1, async (set) => {
        const n = ['-n', 'ctl-write'];
        await talk.kubectl(['create', 'configmap', 'one', '--from-literal=a=1', ...n]);
        await talk.kubectl(['create', 'configmap', 'one', ...n]);
        await talk.kubectl(['label', 'configmap', 'one', 'app=x', ...n]);
        await talk.kubectl(['label', 'configmap', 'one', 'app=y', ...n]);
        await talk.kubectl(['label', 'configmap', 'one', 'app=y', '--overwrite', ...n]);
        await talk.kubectl(['label', 'configmap', 'one', 'app-', ...n]);
        await talk.kubectl(['annotate', 'configmap', 'one', 'note=x', ...n]);
        await talk.kubectl(['patch', 'configmap', 'one', '--type=merge', '-p', '{"data":{"b":"2"}}', ...n]);
        await talk.kubectl(['patch', 'configmap', 'one', '--type=json', '-p', '[{"op":"test","path":"/data/b","value":"3"}]', ...n]);
        await talk.kubectl(['patch', 'node', set.nodes[0] ?? '', '-p', '{"spec":{"unschedulable":true}}']);
        await talk.kubectl(['get', 'configmap', 'one', '-o', 'jsonpath={.data}', ...n]);
        await talk.kubectl(['get', 'configmap', 'none', ...n]);
        await talk.kubectl(['get', 'widgetry', ...n]);
        await talk.kubectl(['delete', 'configmap', 'one', ...n]);
        await talk.kubectl(['get', 'configmap', '-l', 'app', ...n]);
      }),
    'get, scale and roll out': (talk) =>
      onStage(talk, 'ctl-rollout', 1, async (set) => {
        const n = ['-n', 'ctl-rollout'];
        const path = `${set.apps}/deployments/web`;
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 2 }), { quiet: true });
        await runUntil(talk, set, path, available(2));
        await talk.kubectl(['get', 'deployments', ...n]);
        await talk.kubectl(['get', 'deploy,rs', '-o', 'wide', ...n]);
        await talk.kubectl(['get', 'pods', '-o', 'name', ...n]);
        await talk.kubectl(['get', 'nodes', set.nodes[0] ?? '', '--no-headers']);
        await talk.kubectl(['scale', 'deployment/web', '--replicas=1', ...n]);
        await runUntil(talk, set, path, available(1));
        await talk.kubectl(['scale', 'deployment/web', '--current-replicas=5', '--replicas=2', ...n]);
        await talk.kubectl(['rollout', 'restart', 'deployment/web', ...n]);
        await runUntil(talk, set, path, available(1));
        await talk.kubectl(['rollout', 'status', 'deployment/web', ...n]);
        await talk.kubectl(['rollout', 'history', 'deployment/web', ...n]);
        await talk.kubectl(['rollout', 'undo', 'deployment/web', ...n]);
        await runUntil(talk, set, path, available(1));
        await talk.kubectl(['rollout', 'pause', 'deployment/web', ...n]);
        await talk.kubectl(['rollout', 'resume', 'deployment/web', ...n]);
        await talk.kubectl(['describe', 'deployment', 'web', '--show-events=false', ...n]);
        await talk.kubectl(['wait', '--for=condition=Available', 'deployment/web', ...n]);
      }),
    'cordon and drain': (talk) =>
      onStage(talk, 'ctl-drain', 2, async (set) => {
        const [first = ''] = set.nodes;
        const template = {
          metadata: { labels: { app: 'agent' } },
          spec: { nodeSelector: { stage: 'ctl-drain' }, containers: [{ name: 'app', image: 'app:1' }] },
        };
        await talk.post(`${set.apps}/daemonsets`, workload('DaemonSet', 'agent', { template }), { quiet: true });
        await runUntil(talk, set, `${set.apps}/daemonsets/agent`, (body) => body.status.numberAvailable === 2);
        await talk.kubectl(['cordon', first]);
        await talk.kubectl(['cordon', first]);
        await talk.kubectl(['drain', first, '--timeout=5s']);
        await talk.kubectl(['drain', first, '--ignore-daemonsets', '--timeout=20s']);
        await talk.kubectl(['uncordon', first]);
      }),
    'a drain stops at a budget': (talk) =>
      onStage(talk, 'ctl-budget', 1, async (set) => {
        const [only = ''] = set.nodes;
        const budgets = `${set.core.replace('/api/v1', '/apis/policy/v1')}/poddisruptionbudgets`;
        await talk.post(`${set.apps}/deployments`, workload('Deployment', 'web', { replicas: 1 }), { quiet: true });
        await runUntil(talk, set, `${set.apps}/deployments/web`, available(1));
        await talk.post(budgets, budget('web', 'web', { minAvailable: 1 }), { quiet: true });
        await talk.until(`${budgets}/web`, (body) => body.status.observedGeneration === 1);
        await talk.kubectl(['get', 'pdb', '-n', 'ctl-budget']);
        await talk.kubectl(['describe', 'pdb', 'web', '--show-events=false', '-n', 'ctl-budget']);
        await talk.kubectl(['describe', 'node', only, '--show-events=false']);
        await talk.kubectl(['drain', only, '--timeout=2s']);
        await talk.delete(`${budgets}/web`, undefined, { quiet: true });
        await whileRunning(talk, set, ['drain', only, '--timeout=20s']);
      }),
    'looking on': (talk) =>
      onStage(talk, 'ctl-watch', 0, async (set) => {
        await talk.post(`${set.core}/configmaps`, configMap('one', {}, labelled), { quiet: true });
        const looking = talk.kubectl(['get', 'configmaps', '-w', '-l', 'seen', '-n', 'ctl-watch', '--request-timeout=3s']);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await talk.patch(`${set.core}/configmaps/one`, 'merge', { data: { a: '1' } }, { quiet: true });
        await talk.post(`${set.core}/configmaps`, configMap('two', {}, labelled), { quiet: true });
        await looking;
      }),
    'what one may do': async (talk) => {
      await talk.kubectl(['auth', 'can-i', 'list', 'secrets']);
      await talk.kubectl(['auth', 'can-i', 'list', 'secrets'], { token: TOKENS.reader });
      await talk.kubectl(['auth', 'can-i', 'create', 'pods/eviction', '-n', 'default'], { token: TOKENS.reader });
      await talk.kubectl(['auth', 'can-i', 'get', '/readyz'], { token: TOKENS.reader });
      await talk.kubectl(['auth', 'whoami'], { token: TOKENS.reader });
      await talk.kubectl(['get', 'nodes'], { token: TOKENS.reader });
      await talk.kubectl(['get', 'nodes'], { token: 'nobody' });
      await talk.kubectl(['get', '--raw', '/readyz']);
    },
  },
};
