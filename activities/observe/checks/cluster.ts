/** Checks of the control plane, node groups and add-ons: pure, from facts. */
import type { ClusterFacts, HealthIssue } from '../../../domain/facts/facts.ts';
import type { Finding } from '../../../domain/core/findings.ts';
import { isWell } from '../../../domain/facts/resource-health.ts';
import { finding } from './catalogue.ts';
import { agree, count } from '../../../domain/core/text.ts';

export function checkClusterHealth({ controlPlane }: ClusterFacts): Finding {
  const { status, healthIssues } = controlPlane;
  if (isWell(controlPlane)) return finding('EKS001', { status: 'pass', message: 'The cluster is ACTIVE.' });
  const message =
    healthIssues.length === 0 ? `The cluster is ${status}.` : `The cluster is ${status} and EKS reports ${sayIssues(healthIssues)}.`;
  return finding('EKS001', {
    status: 'fail',
    message,
    resources: healthIssues.flatMap((issue) => issue.resourceIds),
    remediation: 'Repair what EKS reports (console: cluster, health issues), then check again.',
  });
}

export function checkNoUpdate({ updateInProgress, unknowns }: ClusterFacts): Finding {
  if (updateInProgress !== undefined) {
    const { id, type, version } = updateInProgress;
    return finding('EKS002', {
      status: 'fail',
      message: `EKS is busy with ${type}${version === undefined ? '' : ` to ${version}`}.`,
      resources: [id],
      remediation: 'Wait until it has ended; EKS runs one update of a cluster at a time.',
    });
  }
  const blind = unknowns.find(({ part }) => part === 'updates');
  if (blind !== undefined) return finding('EKS002', { status: 'unknown', message: `Running updates cannot be seen: ${blind.why}.` });
  return finding('EKS002', { status: 'pass', message: 'No update is in progress.' });
}

export function checkNodeGroups({ nodeGroups, unknowns }: ClusterFacts): Finding {
  const sick = nodeGroups.filter((group) => !isWell(group));
  const first = sick[0];
  if (first !== undefined) {
    return finding('EKS009', {
      status: 'fail',
      message: `Node group ${first.name} ${illness(first)}.`,
      resources: sick.map((group) => group.name),
      remediation: 'Repair the node groups, or delete those that are not needed.',
    });
  }
  const blind = unknowns.filter(({ part }) => part === 'node-groups');
  if (blind.length > 0) return finding('EKS009', { status: 'unknown', message: sayUnknowns(blind) });
  return finding('EKS009', {
    status: 'pass',
    message: `${count(nodeGroups.length, 'node group')} ${agree(nodeGroups.length, 'is', 'are')} ACTIVE.`,
  });
}

export function checkAddOnHealth({ addOns, unknowns }: ClusterFacts): Finding {
  const sick = addOns.filter((addOn) => addOn.managed && !isWell(addOn));
  const first = sick[0];
  if (first === undefined) {
    const blind = unknowns.filter(({ part }) => part === 'add-ons');
    if (blind.length > 0) return finding('EKS012', { status: 'unknown', message: sayUnknowns(blind) });
    return finding('EKS012', { status: 'pass', message: 'All managed add-ons are ACTIVE.' });
  }
  return finding('EKS012', {
    status: 'fail',
    message: `Add-on ${first.name} ${illness(first)}.`,
    resources: sick.map((addOn) => addOn.name),
    remediation: 'Repair the add-ons before the control plane moves.',
  });
}

/** One finding for what no other check says: an upgrade must not begin blind. */
export function checkVisibility({ unknowns }: ClusterFacts): Finding {
  if (unknowns.length === 0) return finding('EKS104', { status: 'pass', message: 'Everything could be read.' });
  return finding('EKS104', {
    status: 'unknown',
    message: sayUnknowns(unknowns),
    resources: unknowns.map((entry) => entry.what),
    remediation: 'Give Belay the missing permissions (deploy/), or decide with what is known.',
  });
}

/** What ails a node group or an add-on. */
function illness({ status, healthIssues }: { status: string; healthIssues: readonly HealthIssue[] }): string {
  return healthIssues.length === 0 ? `is ${status}` : `has ${sayIssues(healthIssues)}`;
}

/** The first one, and how many more. */
export function sayIssues(issues: readonly HealthIssue[]): string {
  const [first] = issues;
  if (first === undefined) return 'no issue';
  const more = issues.length > 1 ? ` and ${issues.length - 1} more` : '';
  return `${first.code}${first.message === '' ? '' : ` (${first.message.slice(0, 160)})`}${more}`;
}

function sayUnknowns(unknowns: ClusterFacts['unknowns']): string {
  const [first] = unknowns;
  if (first === undefined) return 'Nothing is unknown.';
  const more = unknowns.length > 1 ? `; ${unknowns.length - 1} more things are unknown` : '';
  return `${first.what} cannot be seen: ${first.why.slice(0, 240)}${more}.`;
}
