/** Findings about what inspection could not see: unknown is never taken for fine. */
import type { Finding } from '../../core/findings.ts';
import { formatKubernetesVersion, tryKubernetesVersion } from '../../core/version.ts';
import { finding, findingAbout, type FindingContext } from './finding.ts';
import { KUBE_PROXY, offeredFor } from '../../facts/add-on-versions.ts';

export function unknownFindings(context: FindingContext): Finding[] {
  return [
    ...unreadFacts(context),
    ...workerPlace(context),
    ...unreadVersions(context),
    ...unreadOffers(context),
    ...unreadKubelets(context),
    ...notInspected(context),
  ];
}

function unreadFacts({ facts }: FindingContext): Finding[] {
  return facts.unknowns.slice(0, 20).map(({ what, why }) =>
    finding({
      code: 'PLN001',
      title: 'Parts of the cluster are unreadable',
      severity: 'required',
      status: 'unknown',
      message: `${what} could not be read: ${why}`,
      resources: [what],
      remediation: 'Give Belay the permission, or look yourself before you approve the plan.',
    }),
  );
}

function workerPlace({ facts }: FindingContext): Finding[] {
  const { workerPlaceUnknown: why, workerOnCluster } = facts;
  const about = { code: 'PLN006', resources: [facts.cluster.name] };
  if (workerOnCluster?.allowed === true)
    return [
      finding({
        ...about,
        title: 'The worker runs on this cluster',
        message: `The worker's own pod runs on ${facts.cluster.name}, which belay.yaml allows (allowWorkerOnCluster).`,
        remediation: 'See that no step replaces its node; Temporal and its database must not be moved either.',
      }),
    ];
  if (why === undefined) return [];
  return [
    finding({
      ...about,
      title: 'Where the worker runs is unknown',
      severity: 'required',
      status: 'unknown',
      message: `Whether the worker's own pod runs on ${facts.cluster.name} is not known: ${why}.`,
      remediation:
        'Mount the service account’s token in the worker’s pod, or let that service account get namespace kube-system; or look yourself before you approve the plan.',
    }),
  ];
}

function unreadVersions({ facts, target }: FindingContext): Finding[] {
  if (facts.supportedVersions.length > 0) return [];
  const to = formatKubernetesVersion(target);
  return [
    finding({
      code: 'PLN002',
      title: 'EKS’s versions are unknown',
      severity: 'required',
      status: 'unknown',
      message: `Whether EKS offers ${to} here is taken from Belay's own table.`,
      resources: [to],
      remediation: 'Allow eks:DescribeClusterVersions.',
    }),
  ];
}

function unreadOffers({ facts, draft }: FindingContext): Finding[] {
  const minors = [draft.hops[0]?.from, ...draft.hops.map((hop) => hop.to)].filter((minor) => minor !== undefined);
  const blind = facts.addOns.filter((addOn) => {
    // kube-proxy follows the control plane and needs the hops' ends only.
    const needed = addOn.name === KUBE_PROXY ? minors.slice(1) : minors;
    return needed.some((minor) => offeredFor(addOn, minor) === undefined);
  });
  return findingAbout(
    blind,
    (addOn) => addOn.name,
    (names) => ({
      code: 'PLN003',
      title: 'Versions of an add-on are unknown',
      severity: 'required',
      status: 'unknown',
      message: `Which versions EKS offers on the way is not known for ${names}; the plan leaves them as they are where it cannot tell.`,
      remediation: 'Allow eks:DescribeAddonVersions, or check these add-ons against each minor yourself.',
    }),
  );
}

function unreadKubelets({ facts }: FindingContext): Finding[] {
  const unreadable = [
    ...facts.kubelets
      .filter((kubelet) => tryKubernetesVersion(kubelet.minor) === undefined)
      .map((kubelet) => `${kubelet.count} ${kubelet.owner}`),
    ...facts.nodeGroups.filter((group) => tryKubernetesVersion(group.version) === undefined).map((group) => group.name),
  ];
  return findingAbout(
    unreadable,
    (name) => name,
    (names) => ({
      code: 'PLN004',
      title: 'Node versions are unknown',
      severity: 'required',
      status: 'unknown',
      message: `The kubelet version of ${names} cannot be read, so their skew is not known.`,
      remediation: 'Look at these nodes before you approve the plan.',
    }),
  );
}

function notInspected({ facts }: FindingContext): Finding[] {
  const open = [
    facts.removedApis === undefined ? 'removed APIs' : undefined,
    facts.subnets === undefined ? 'free IP addresses' : undefined,
    facts.dependencies === undefined ? 'IAM role, KMS key, security groups' : undefined,
  ].filter((name) => name !== undefined);
  return findingAbout(
    open,
    (name) => name,
    (names) => ({
      code: 'PLN005',
      title: 'Not checked yet',
      status: 'unknown',
      message: `${names}. The pre-checks of each hop look for them.`,
    }),
  );
}
