/** Checks at the end: node groups and add-ons belong to the target version. Pure, from facts. */
import type { ClusterFacts } from '../../../domain/facts/facts.ts';
import type { Finding } from '../../../domain/core/findings.ts';
import { isMovableGroup } from '../../../domain/plan/state/nodes.ts';
import { someOf } from '../../../domain/core/text.ts';
import { finding, findingUnless } from './catalogue.ts';

/** Groups with images of their own have no version of EKS's: their kubelets are judged instead. */
export function checkNodeGroupsAtTarget({ nodeGroups }: ClusterFacts, to: string): Finding {
  const lagging = nodeGroups.filter((group) => isMovableGroup(group) && group.version !== to);
  const names = lagging.map((group) => group.name);
  return findingUnless('EKS102', names, {
    pass: `All node groups are at ${to}.`,
    fail: `Not at ${to}: ${someOf(lagging.map((group) => `${group.name} (${group.version})`))}.`,
    remediation: 'Update these node groups, then validate again.',
  });
}

export function checkAddOnsAtTarget({ addOns }: ClusterFacts, to: string): Finding[] {
  return addOns
    .filter((addOn) => addOn.managed)
    .map(({ name, version, offered }) => {
      const valid = offered[to];
      if (valid === undefined || valid.length === 0) {
        return finding('EKS103', {
          status: 'unknown',
          message: `Whether ${name} ${version} is valid on ${to} cannot be seen.`,
          resources: [name],
          remediation: 'Allow eks:DescribeAddonVersions, or read its release notes.',
        });
      }
      const right = valid.some((entry) => entry.version === version);
      return finding('EKS103', {
        status: right ? 'pass' : 'fail',
        message: right ? `${name} ${version} is valid on ${to}.` : `${name} ${version} is not valid on ${to}.`,
        resources: [name],
        ...(right
          ? {}
          : { remediation: `Update it to ${valid.find((entry) => entry.isDefault)?.version ?? valid[0]?.version ?? 'a valid version'}.` }),
      });
    });
}
