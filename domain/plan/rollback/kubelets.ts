/** Whether a node is newer than the minor to go back to, and which step takes it back; pods on Fargate have a check of their own. */
import { formatKubernetesVersion } from '../../core/version.ts';
import { count, someOf } from '../../core/text.ts';
import type { FindingInput } from '../findings/finding.ts';
import { groupsAhead, nodesAhead } from './nodes.ts';
import { refreshed, refreshesBack } from './self-managed.ts';
import type { RollbackContext } from './evidence.ts';

export function kubelets({ facts, backTo, later, policy }: RollbackContext): FindingInput[] {
  const minor = formatKubernetesVersion(backTo);
  const title = `No node is newer than ${minor}`;
  const blind = facts.unknowns.find(({ part }) => part === 'nodes' || part === 'kubelet-versions');
  const unseen: FindingInput[] =
    blind === undefined ? [] : [{ code: 'RBK005', title, status: 'unknown', message: `Kubelets cannot be seen: ${blind.why}.` }];
  const ahead = nodesAhead(facts, backTo).filter(({ owner }) => owner !== 'auto-mode');
  if (ahead.length === 0)
    return [...unseen, ...(blind === undefined ? [{ code: 'RBK005', title, status: 'pass' as const, message: 'None is.' }] : [])];
  // Those of Fargate have a check of their own.
  const others = ahead.filter(({ owner }) => owner !== 'fargate');
  const found = others.map(({ count: nodes, owner, byHand }): FindingInput => {
    const words = `${count(nodes, `${owner} node`)} ${nodes === 1 ? 'runs' : 'run'} a kubelet newer than ${minor}, which no control plane at ${minor} may have.`;
    if (owner === 'self-managed' && refreshesBack(facts, policy))
      return { code: 'RBK005', title, ...refreshed(facts, { words, minor, later }) };
    if (byHand !== undefined) return { code: 'RBK005', title, message: words, remediation: byHand };
    const pools = owner === 'karpenter';
    const names = (pools ? (facts.karpenter?.nodePools ?? []) : groupsAhead(facts, backTo)).map(({ name }) => name);
    const severity = later.includes(pools ? 'karpenter-drift' : 'node-groups') ? 'recommended' : 'required';
    return {
      code: 'RBK005',
      title,
      severity,
      message: `${words} ${pools ? 'NodePools' : 'Node groups'}: ${someOf(names)}.`,
      resources: names,
      remediation: `These ${pools ? 'nodes' : 'node groups'} have to go back to ${minor} first; then request the rollback again.`,
    };
  });
  return [...unseen, ...found];
}
