/** istio-cni, then ztunnel, behind a gate: they run on every node, and no canary shows beforehand how they do. */
import type { NodeAgentChange } from '../../../domain/plan/model/changes.ts';
import { gateId } from '../../contract/ids.ts';
import { agentUpgraded, nodeAgentGate, upgradeAgent, upgradingAgent } from '../../messages/istio/revisions.ts';
import { mergeAgent } from '../../messages/istio/gitops.ts';
import type { Phase } from '../base/phase.ts';
import { deliverChart } from '../base/gitops-delivery.ts';
import type { GitOpsWay } from './gitops-revision.ts';
import { phaseFailed } from '../../runtime/phase-failure.ts';
import { defined } from '../../../domain/core/defined.ts';

export interface AgentMove {
  changes: NodeAgentChange[];
  /** For the gate's id: one move before a canary, one after. */
  name: string;
  managedBy: string;
  /** Absent: by Helm, or asked for. */
  way?: GitOpsWay | undefined;
}

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
    ...nodeAgentGate(behind, wayBack(managedBy, way)),
    id: gateId('agents', step.id, round, name),
    step: step.id,
  });
  if (state.kind === 'decided' && state.decision.choice === 'approve') return;
  throw phaseFailed(`Istio on every node stays as it is (${what}): ${state.kind === 'decided' ? 'rejected' : 'nobody decided in time'}`);
}

function wayBack(managedBy: string, way: GitOpsWay | undefined): string | undefined {
  if (managedBy === 'helm') return 'helm rollback';
  return way === undefined ? undefined : `its version in the ${way.delivery.kind} that delivers it`;
}

async function move(phase: Phase, agent: NodeAgentChange, managedBy: string, way: GitOpsWay | undefined): Promise<void> {
  const { kind, toMinor } = agent;
  const byHelm = managedBy === 'helm';
  let delivered = true;
  if (byHelm) {
    phase.now(upgradingAgent(agent));
    await phase.activities.survey.upgradeNodeAgent.executeWithOptions({ summary: `helm: ${kind} → ${toMinor}` }, [
      { cluster: phase.cluster, agent, chart: phase.input.policy.istio.chart, token: phase.token('helm-upgrade', `${kind}-${toMinor}`) },
    ]);
  } else if (way === undefined || !(await deliverAgent(phase, agent, way))) {
    delivered = false;
    phase.ask(upgradeAgent(agent, managedBy));
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
  phase.announcer.note(agentUpgraded(agent, seen.onDelete === true));
}

/** In the object that delivers it. false: there is none of GitOps. */
async function deliverAgent(phase: Phase, agent: NodeAgentChange, { delivery, managedBy }: GitOpsWay): Promise<boolean> {
  const { kind, toMinor } = agent;
  const { chart, values } = await phase.activities.quick.findDeliveredAgent.executeWithOptions({ summary: `What delivers ${kind}?` }, [
    { cluster: phase.cluster, kind: delivery.kind, agent },
  ]);
  if (chart === undefined) return false;
  await deliverChart(phase, {
    chart,
    to: toMinor,
    ...defined({ values }),
    component: 'Istio',
    ask: (owner) => mergeAgent(agent, chart, { owner, managedBy, values }),
  });
  return true;
}
