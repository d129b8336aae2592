/** istio-cni, then ztunnel, behind a gate: they run on every node, and no canary shows beforehand how they do. */
import type { NodeAgentChange } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import type { Phase } from '../base/phase.ts';
import { deliverChart } from '../base/gitops-delivery.ts';
import type { GitOpsWay } from './gitops-revision.ts';
import { objectTitle } from '../../../domain/core/text.ts';
import { CHOICES } from '../../gates/choices.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';

export interface AgentMove {
  changes: NodeAgentChange[];
  /** For the gate's id: one move before a canary, one after. */
  name: string;
  managedBy: string;
  /** Absent: by Helm, or asked for. */
  way?: GitOpsWay | undefined;
}

const COSTS: Record<NodeAgentChange['kind'], string> = {
  'istio-cni': 'no pod starts on a node while istio-cni restarts there',
  ztunnel: 'long-lived connections of a node end when its ztunnel restarts',
};

/** Those that are there already are left alone, and not asked about. */
export async function moveNodeAgents(phase: Phase, { changes, name, managedBy, way }: AgentMove): Promise<void> {
  const { behind } = await phase.activities.quick.readNodeAgents.executeWithOptions({ summary: 'Which node agents are behind?' }, [
    { cluster: phase.cluster, agents: changes },
  ]);
  if (behind.length === 0) return;
  await ask(phase, behind, { name, managedBy, way });
  for (const agent of behind) await move(phase, agent, managedBy, way);
}

const shown = (changes: readonly NodeAgentChange[]): string =>
  changes.map(({ kind, from, toMinor }) => `${kind} ${from} → ${toMinor}`).join(', ');

async function ask(phase: Phase, behind: NodeAgentChange[], { name, managedBy, way }: Omit<AgentMove, 'changes'>): Promise<void> {
  const { step, round } = phase.input;
  const what = shown(behind);
  const state = await phase.gates.ask({
    id: gateId('agents', step.id, round, name),
    step: step.id,
    title: `Istio on every node: ${what}?`,
    next: `Upgrades ${behind.map(({ kind }) => kind).join(', then ')} in place, node by node. There is no canary for them.`,
    evidence: [{ title: 'What it costs', lines: behind.map(({ kind }) => COSTS[kind]) }],
    undo: `The version before can be deployed again${wayBack(managedBy, way)}, with the same restarts; it works with the istiod that runs now.`,
    choices: [
      { ...CHOICES.approve, does: `Upgrades ${what}.` },
      { ...CHOICES.reject, does: 'Stops here. The next minor of istiod would be too far ahead of them.' },
    ],
  });
  if (state.kind === 'decided' && state.decision.choice === 'approve') return;
  throw phaseFailed(`Istio on every node stays as it is (${what}): ${state.kind === 'decided' ? 'rejected' : 'nobody decided in time'}`);
}

function wayBack(managedBy: string, way: GitOpsWay | undefined): string {
  if (managedBy === 'helm') return ' (helm rollback)';
  return way === undefined ? '' : ` (its version in the ${way.delivery.kind} that delivers it)`;
}

async function move(phase: Phase, agent: NodeAgentChange, managedBy: string, way: GitOpsWay | undefined): Promise<void> {
  const { kind, namespace, daemonSet, toMinor } = agent;
  const byHelm = managedBy === 'helm';
  let delivered = true;
  if (byHelm) {
    phase.now(`Upgrading ${kind} to ${toMinor}.`);
    await phase.activities.survey.upgradeNodeAgent.executeWithOptions({ summary: `helm: ${kind} → ${toMinor}` }, [
      { cluster: phase.cluster, agent, chart: phase.input.policy.istio.chart, token: phase.token('helm-upgrade', `${kind}-${toMinor}`) },
    ]);
  } else if (way === undefined || !(await deliverAgent(phase, agent, way))) {
    delivered = false;
    phase.ask(
      { component: 'istio-agent', name: kind, version: toMinor, managedBy },
      `Please upgrade ${kind} (DaemonSet ${namespace}/${daemonSet}) to ${toMinor}. Belay continues by itself once it has rolled out.`,
    );
  }
  const seen = await phase.activities.watch.awaitNodeAgent.executeWithOptions({ summary: `Wait for ${kind} ${toMinor}` }, [
    { ...phase.target, agent, delivered, ...(byHelm ? {} : { askedOthers: true }) },
  ]);
  if (seen.pinned === true) {
    throw phaseFailed(
      `Upgrading ${kind}: its chart is at ${toMinor}, and ${seen.lack ?? 'it runs an older version'}: a value pins the image ` +
        '(tag or global.tag, also from valuesFrom or value files); take it out, then retry',
    );
  }
  if (!seen.done) throw phaseFailed(`Waiting for ${kind} ${toMinor}: ${seen.lack ?? 'it did not roll out in time'}`);
  const later = seen.onDelete === true ? ' Its pods are replaced with their nodes (update strategy OnDelete).' : '';
  phase.announcer.note(`Istio: ${kind} is at ${toMinor}.${later}`);
}

/** In the object that delivers it. false: there is none of GitOps. */
async function deliverAgent(phase: Phase, agent: NodeAgentChange, { delivery, managedBy }: GitOpsWay): Promise<boolean> {
  const { kind, from, toMinor } = agent;
  const { chart, values } = await phase.activities.quick.findDeliveredAgent.executeWithOptions({ summary: `What delivers ${kind}?` }, [
    { cluster: phase.cluster, kind: delivery.kind, agent },
  ]);
  if (chart === undefined) return false;
  await deliverChart(phase, {
    chart,
    to: toMinor,
    ...(values === undefined ? {} : { values }),
    component: 'Istio',
    ask: (owner) => ({
      ask: { component: 'istio-agent', name: kind, version: toMinor, managedBy },
      text:
        `Please merge ${kind} (chart ${chart.chart}) ${from} → the newest ${toMinor} in ${objectTitle(chart)}, without image tags in its values: ` +
        `${owner} keeps it as it is in Git. Belay continues by itself once it has delivered.`,
    }),
  });
  return true;
}
