/** Findings about managed node groups whose update would fail. */
import type { Finding } from '../../core/findings.ts';
import { isWell } from '../../facts/resource-health.ts';
import { findingAbout, type FindingContext, withCondition } from './finding.ts';

export function nodeGroupFindings(context: FindingContext): Finding[] {
  return [...unhealthyGroups(context), ...capacityBlocks(context)];
}

function unhealthyGroups({ facts }: FindingContext): Finding[] {
  return findingAbout(
    facts.nodeGroups.filter((group) => !isWell(group)),
    withCondition,
    (names) => ({
      code: 'PLN046',
      title: 'Node groups are not healthy',
      severity: 'required',
      message: `${names}.`,
      remediation: 'Solve the groups’ health issues: an update of an unhealthy group fails.',
    }),
  );
}

/** "When upgrading managed node groups with Capacity Blocks, make sure that the desired size of the node group is set to 0" (EKS user guide, capacity-blocks-mng). */
function capacityBlocks({ facts, draft }: FindingContext): Finding[] {
  const moved = new Set(draft.steps.flatMap(({ params }) => (params.phase === 'node-groups' ? params.groups.map(({ name }) => name) : [])));
  return findingAbout(
    facts.nodeGroups.filter(({ name, capacityBlock, desiredCount }) => moved.has(name) && capacityBlock === true && desiredCount > 0),
    ({ name, desiredCount }) => `${name} (${desiredCount})`,
    (names) => ({
      code: 'PLN063',
      title: 'Node groups on Capacity Blocks',
      message: `${names} take their nodes from a Capacity Block: AWS asks for a desired size of 0 while such a group is updated.`,
      remediation: 'Scale the groups to 0 before their gate, and back after it.',
    }),
  );
}
