/** When istio-cni and ztunnel move: they work with istiod of their own minor and of the next one (istio.io, "Upgrade with Helm", ambient). */
import { compareMinors, formatMinor, tryComponentVersion } from '../../core/component-version.ts';
import { count } from '../../core/text.ts';
import { afterCanary, type Mesh } from './mesh.ts';
import type { IstioCanary, NodeAgentChange } from '../model/changes.ts';

/** The canary with the changes of node agents around it, so that they are never ahead of an istiod, nor two minors behind one. */
export function withNodeAgents(mesh: Mesh, canary: IstioCanary): IstioCanary {
  const agentsBefore = changesTo(mesh);
  const after = afterCanary(mesh, { ...canary, agentsBefore });
  const agentsAfter = changesTo(after);
  return {
    ...canary,
    ...(agentsBefore.length === 0 ? {} : { agentsBefore }),
    ...(agentsAfter.length === 0 ? {} : { agentsAfter }),
  };
}

/** Node agents to the oldest istiod in use, where they are behind it. */
function changesTo({ inUse, nodeAgents = [] }: Mesh): NodeAgentChange[] {
  const oldest = inUse[0]?.version;
  return nodeAgents.flatMap(({ kind, namespace, daemonSet, version: from }) => {
    const version = tryComponentVersion(from);
    if (version === undefined || oldest === undefined || compareMinors(version, oldest) >= 0) return [];
    return [{ kind, namespace, daemonSet, from, toMinor: formatMinor(oldest) }];
  });
}

/** For the plan: what moves without a canary. undefined: nothing does. */
export function nodeAgentWords(canaries: readonly IstioCanary[]): string | undefined {
  const changes = canaries.flatMap(({ agentsBefore = [], agentsAfter = [] }) => [...agentsBefore, ...agentsAfter]);
  if (changes.length === 0) return undefined;
  const names = [...new Set(changes.map(({ kind }) => kind))].toSorted().join(' and ');
  return (
    `${names} follow${names.includes(' and ') ? '' : 's'} each istiod in place (${count(changes.length, 'rollout')}), behind a gate: there is no canary for them, even with revisions. ` +
    'While istio-cni restarts on a node no pod starts there; a restart of ztunnel ends the long-lived connections of its node.'
  );
}
