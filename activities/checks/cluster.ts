/** Checks of the control plane, the target version, node groups and add-ons: pure, from facts. */
import type { AddOnFact, ClusterFacts, HealthIssue } from '../../domain/facts.ts';
import type { Finding } from '../../domain/findings.ts';
import { isWell } from '../../domain/health.ts';
import { FIRST_WITHOUT_AL2, isAl2Class, isAl2Group } from '../../domain/plan/amazon-linux-2.ts';
import { minorDistance, tryKubernetesVersion } from '../../domain/version.ts';
import { someOf } from '../../domain/words.ts';
import { finding, findingUnless } from './catalogue.ts';

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
  const blind = unknowns.find((entry) => entry.what === 'the updates in progress');
  if (blind !== undefined) return finding('EKS002', { status: 'unknown', message: `Running updates cannot be seen: ${blind.why}.` });
  return finding('EKS002', { status: 'pass', message: 'No update is in progress.' });
}

export function checkTarget({ supportedVersions }: ClusterFacts, to: string): Finding[] {
  if (supportedVersions.length === 0) {
    return [
      finding('EKS007', {
        status: 'unknown',
        message: `Whether EKS offers ${to} cannot be seen.`,
        remediation: 'Allow eks:DescribeClusterVersions.',
      }),
    ];
  }
  const offered = supportedVersions.find((entry) => entry.version === to);
  if (offered === undefined || offered.status === 'UNSUPPORTED') {
    const names = supportedVersions.filter((entry) => entry.status !== 'UNSUPPORTED').map((entry) => entry.version);
    return [finding('EKS007', { status: 'fail', message: `EKS does not offer ${to}.`, remediation: `Choose one of ${someOf(names, 8)}.` })];
  }
  const pass = finding('EKS007', { status: 'pass', message: `EKS offers ${to}.` });
  if (offered.status === undefined) return [pass];
  const standard = offered.status === 'STANDARD_SUPPORT';
  const until = offered.endOfStandardSupport?.slice(0, 10);
  return [
    pass,
    finding('EKS008', {
      status: standard ? 'pass' : 'fail',
      message: standard
        ? `${to} is in standard support${until === undefined ? '' : ` until ${until}`}.`
        : `${to} is in extended support, which costs extra.`,
      ...(standard ? {} : { remediation: 'Plan the next minors soon, or choose a newer target.' }),
    }),
  ];
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
  const blind = unknowns.filter((entry) => /^(?:the managed node groups|node group )/.test(entry.what));
  if (blind.length > 0) return finding('EKS009', { status: 'unknown', message: sayUnknowns(blind) });
  return finding('EKS009', { status: 'pass', message: `${nodeGroups.length} node groups are ACTIVE.` });
}

/** From 1.33 on there are no AL2 images: an EKS node group cannot be updated, and Karpenter stops provisioning for the class. */
export function checkAmazonLinux2(facts: ClusterFacts, to: string): Finding {
  const target = tryKubernetesVersion(to);
  if (target === undefined || minorDistance(FIRST_WITHOUT_AL2, target) < 0) {
    return finding('EKS010', { status: 'pass', message: `${to} still has Amazon Linux 2 images.` });
  }
  const groups = facts.nodeGroups.filter(isAl2Group).map((group) => `node group ${group.name}`);
  const classes = (facts.karpenter?.nodeClasses ?? [])
    .filter((nodeClass) => isAl2Class(nodeClass) || nodeClass.amiFamily === 'AL2')
    .map((nodeClass) => `EC2NodeClass ${nodeClass.name}`);
  const old = [...groups, ...classes];
  return findingUnless('EKS010', old, {
    pass: 'Nothing runs on Amazon Linux 2.',
    fail: `${someOf(old)} use Amazon Linux 2, which has no images for ${to}.`,
    remediation: 'Move to Amazon Linux 2023 first: a new node group beside the old one, or alias al2023@… in a new EC2NodeClass.',
  });
}

/** kube-proxy follows the control plane and is judged by its own check. */
export function checkAddOnCompatibility({ addOns, unknowns }: ClusterFacts, from: string, to: string): Finding[] {
  const judged = addOns.filter((addOn) => addOn.name !== 'kube-proxy');
  const findings = judged.map((addOn) => addOnCompatibility(addOn, from, to));
  const blind = unknowns.find((entry) => entry.what === 'the add-ons' || entry.what.endsWith(' in kube-system'));
  if (blind !== undefined) findings.push(finding('EKS011', { status: 'unknown', message: sayUnknowns([blind]) }));
  return findings;
}

function addOnCompatibility(addOn: AddOnFact, from: string, to: string): Finding {
  const { name } = addOn;
  const [now, next] = [addOn.offered[from] ?? [], addOn.offered[to] ?? []];
  if (Object.keys(addOn.offered).length === 0) {
    const remediation = addOn.managed
      ? 'Allow eks:DescribeAddonVersions, or read its release notes.'
      : 'Read its release notes and decide.';
    return finding('EKS011', {
      status: 'unknown',
      message: `Which versions of ${name} are valid on ${from} and ${to} cannot be seen.`,
      resources: [name],
      remediation,
    });
  }
  const bridge = next.find((entry) => now.some((other) => other.version === entry.version));
  if (bridge === undefined) {
    return finding('EKS011', {
      status: 'fail',
      message: `No version of ${name} is valid on both ${from} and ${to}.`,
      resources: [name],
      remediation: `Ask the add-on's publisher for a version for ${to}, or remove the add-on first.`,
    });
  }
  return finding('EKS011', { status: 'pass', message: `${name} ${bridge.version} is valid on both minors.`, resources: [name] });
}

export function checkAddOnHealth({ addOns, unknowns }: ClusterFacts): Finding {
  const sick = addOns.filter((addOn) => addOn.managed && !isWell(addOn));
  const first = sick[0];
  if (first === undefined) {
    const blind = unknowns.filter((entry) => /^(?:the add-ons$|add-on )/.test(entry.what));
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
  if (unknowns.length === 0) return finding('EKS015', { status: 'pass', message: 'Everything could be read.' });
  return finding('EKS015', {
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
