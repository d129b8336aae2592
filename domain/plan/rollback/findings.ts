/** Whether a control plane can go back now, each condition on its own: the plan is refused by them, and the steps ask them once more. */
import { tryComponentVersion } from '../../core/component-version.ts';
import type { Finding } from '../../core/findings.ts';
import { utcMinute } from '../../core/text.ts';
import { istioSupport } from '../../tables/istio.ts';
import { karpenterSupport, type Support } from '../../tables/karpenter.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../core/version.ts';
import type { ClusterFacts } from '../../facts/facts.ts';
import { finding, type FindingInput } from '../findings/finding.ts';
import { controlPlaneMinor } from '../state/nodes.ts';
import { addOnBack } from './add-ons.ts';
import { fargateFindings, fargateStop } from './fargate.ts';
import { karpenterClasses } from './karpenter-findings.ts';
import { autoModeFindings } from './auto-mode.ts';
import { kubelets } from './kubelets.ts';
import { newerApiFindings } from './newer-apis.ts';
import { unseen } from './unseen.ts';
import type { RollbackContext } from './evidence.ts';
import { eksNameOf } from '../../core/cluster-ref.ts';

/** In the order in which people should read them. All are required unless said otherwise. */
export function backFindings(context: RollbackContext): Finding[] {
  const found = [
    windowOpen,
    clusterQuiet,
    minorOffered,
    autoModeFindings,
    kubelets,
    fargateFindings,
    karpenterClasses,
    addOns,
    components,
    newerApiFindings,
    ownInsights,
    keptAsCode,
    unseen,
  ].flatMap((check) => check(context));
  // Nothing of this stops EKS any more: whoever refused to adopt it would leave it unwatched.
  if (isUnderWay(context.facts, context.backTo)) return found.map((input) => finding({ ...input, severity: 'recommended' }));
  return found.map(({ severity = 'required', ...input }) => finding({ severity, ...input }));
}

/** EKS is rolling the control plane back to this minor already: an earlier run, Terraform or a person has started it. */
export function isUnderWay({ updateInProgress: update }: Pick<ClusterFacts, 'updateInProgress'>, backTo: KubernetesVersion): boolean {
  return update?.type === 'VersionRollback' && update.version === formatKubernetesVersion(backTo);
}

type Check = (context: RollbackContext) => FindingInput[];

const windowOpen: Check = ({ facts, seen: { back } }) => {
  const { name } = facts.cluster;
  const title = 'EKS takes the control plane back';
  const { version } = facts.controlPlane;
  const remedy = `Nothing takes this control plane back: a cluster of the older version beside this one, and its workloads moved there, is the only way.`;
  if (back.kind === 'open')
    return [{ code: 'RBK001', title, status: 'pass', message: `Until ${utcMinute(back.window.closesAt)}, to ${back.window.backTo}.` }];
  const message =
    back.kind !== 'none'
      ? `The seven days in which EKS can roll ${name} back to ${back.window.backTo} ended on ${utcMinute(back.window.closesAt)}.`
      : back.why === 'rolled-back'
        ? `${name} has already been rolled back to ${version}, and EKS rolls back only the last hop.`
        : `EKS lists no update that moved ${name} to ${version}: a cluster cannot be rolled back below the version it was created with.`;
  return [{ code: 'RBK001', title, message, remediation: remedy }];
};

const clusterQuiet: Check = ({ facts, backTo }) => {
  const { controlPlane, updateInProgress, cluster } = facts;
  const title = 'The cluster is ACTIVE and EKS busy with nothing else';
  if (isUnderWay(facts, backTo)) return [];
  if (updateInProgress !== undefined) {
    const { id, type } = updateInProgress;
    return [
      { code: 'RBK002', title, message: `EKS is busy with ${type} (${id}).`, remediation: 'Wait until it has ended, then ask again.' },
    ];
  }
  if (controlPlane.status === 'ACTIVE') return [{ code: 'RBK002', title, status: 'pass', message: 'It is ACTIVE.' }];
  return [
    {
      code: 'RBK002',
      title,
      message: `Cluster ${cluster.name} is ${controlPlane.status}.`,
      remediation: 'Repair what EKS reports (console: cluster, health issues), then ask again.',
    },
  ];
};

const minorOffered: Check = ({ facts: { supportedVersions, controlPlane, cluster, readAt }, backTo }) => {
  const minor = formatKubernetesVersion(backTo);
  const about = { code: 'RBK003', title: `EKS offers ${minor} under the cluster's upgrade policy` };
  const offered = supportedVersions.find(({ version }) => version === minor);
  if (supportedVersions.length === 0) return [{ ...about, status: 'unknown', message: 'What EKS offers could not be read.' }];
  const isOver = (end: string | undefined): boolean => end !== undefined && Date.parse(readAt) > Date.parse(end);
  // EKS still lists minors whose extended support is over (DescribeClusterVersions, includeAll).
  if (offered === undefined || offered.status === 'UNSUPPORTED' || isOver(offered.endOfExtendedSupport)) {
    const since =
      offered?.endOfExtendedSupport === undefined ? '' : `: its extended support ended on ${offered.endOfExtendedSupport.slice(0, 10)}`;
    return [
      { ...about, message: `EKS does not offer ${minor} any more${since}.`, remediation: 'The cluster cannot be rolled back to it.' },
    ];
  }
  if (offered.endOfStandardSupport === undefined) return [{ ...about, status: 'unknown', message: 'What EKS offers could not be read.' }];
  if (!isOver(offered.endOfStandardSupport) || controlPlane.supportType === 'EXTENDED')
    return [{ ...about, status: 'pass', message: 'It does.' }];
  return [
    {
      ...about,
      message: `${minor} is in extended support since ${offered.endOfStandardSupport.slice(0, 10)}, and the upgrade policy of ${cluster.name} is ${controlPlane.supportType ?? 'not known'}.`,
      remediation: `Pay for extended support first: aws eks update-cluster-config --name ${eksNameOf(cluster)} --region ${cluster.region} --upgrade-policy supportType=EXTENDED`,
    },
  ];
};

const addOns: Check = ({ facts, backTo, later }) => {
  const minor = formatKubernetesVersion(backTo);
  return facts.addOns.flatMap((addOn): FindingInput[] => {
    const { name, version } = addOn;
    const title = `Add-on ${name} supports ${minor}`;
    const back = addOnBack(addOn, controlPlaneMinor(facts), backTo);
    switch (back.kind) {
      case 'fits':
        return [{ code: 'RBK007', title, status: 'pass', message: `${version} does.` }];
      case 'unknown':
        return [
          {
            code: 'RBK007',
            title,
            status: 'unknown',
            message: `EKS does not say whether ${name} ${version} supports ${minor}.`,
            resources: [name],
          },
        ];
      case 'change':
        return [
          {
            code: 'RBK007',
            title,
            severity: later.includes('add-ons-back') ? 'recommended' : 'required',
            message: `${name} ${version} does not; it goes to ${back.change.to} before the control plane does.`,
            resources: [name],
            remediation: `Bring ${name} to ${back.change.to}.`,
          },
        ];
      case 'stuck':
        return [
          {
            code: 'RBK007',
            title,
            message: `${name} ${version} does not, and EKS offers no older version that both minors take.`,
            resources: [name],
            remediation: `Remove ${name}, and install it again when the control plane is back.`,
          },
        ];
    }
  });
};

const components: Check = ({ facts: { karpenter, istio }, backTo }) => {
  const parts = [
    ...(karpenter === undefined ? [] : [{ what: `Karpenter ${karpenter.version}`, version: karpenter.version, table: karpenterSupport }]),
    ...(istio?.revisions ?? []).map(({ revision, version }) => ({
      what: `Istio ${version} (revision ${revision})`,
      version,
      table: istioSupport,
    })),
  ];
  const minor = formatKubernetesVersion(backTo);
  return parts.map(({ what, version, table }): FindingInput => {
    const parsed = tryComponentVersion(version);
    const support: Support = parsed === undefined ? 'unknown' : table(parsed, backTo);
    const title = `${what} supports ${minor}`;
    if (support === 'supported') return { code: 'RBK008', title, status: 'pass', message: 'It does.' };
    if (support === 'unknown')
      return {
        code: 'RBK008',
        title,
        status: 'unknown',
        message: `Whether ${what} supports ${minor} is not known to this release of Belay.`,
      };
    return {
      code: 'RBK008',
      title,
      message: `${what} does not support ${minor}.`,
      resources: [what],
      remediation: `Change it to a version that supports ${minor} first; EKS's insights do not look at it.`,
    };
  });
};

/** EKS's own judgement. What stands in the way now may be what a later step brings in order: it is asked for again right before the control plane moves. */
const ownInsights: Check = (context) => {
  const {
    seen: { insights, back },
    later,
  } = context;
  const title = "EKS's rollback readiness";
  if (back.kind !== 'open' || insights === undefined) return [];
  if (typeof insights === 'string')
    return [{ code: 'RBK009', title, status: 'unknown', message: `Its insights could not be read: ${insights}` }];
  const own = insights.filter(({ category }) => category === 'ROLLBACK_READINESS');
  if (own.length === 0) return [{ code: 'RBK009', title, status: 'unknown', message: 'EKS lists no insight about a rollback.' }];
  const stopsPods = later.includes('control-plane-back') && fargateStop(context) !== undefined;
  const mending =
    stopsPods ||
    later.some((phase) => phase === 'node-groups' || phase === 'other-nodes' || phase === 'karpenter-drift' || phase === 'add-ons-back');
  return own.map(({ name, status, reason, recommendation }): FindingInput => {
    if (status === 'PASSING') return { code: 'RBK009', title: name, status: 'pass', message: reason ?? 'It passes.' };
    return {
      code: 'RBK009',
      title: name,
      severity: status === 'WARNING' || mending ? 'recommended' : 'required',
      status: status === 'UNKNOWN' ? 'unknown' : 'fail',
      message: reason ?? `EKS says ${status}.`,
      remediation: `${recommendation ?? 'Look at the insight in the EKS console, then ask again.'}${status === 'ERROR' ? forcedWords(context) : ''}`,
    };
  });
};

/** `force` skips EKS's insights, and nothing else (user guide, "Using the --force flag"). Belay does not send it for a rollback. */
function forcedWords({ facts: { cluster }, backTo }: RollbackContext): string {
  return ` If you accept the risk instead: aws eks update-cluster-version --name ${eksNameOf(cluster)} --region ${cluster.region} --kubernetes-version ${formatKubernetesVersion(backTo)} --force. Belay adopts that rollback.`;
}

const keptAsCode: Check = ({ facts: { controlPlane }, policy: { managedBy }, backTo }) => {
  if (managedBy.controlPlane !== 'terraform') return [];
  const minor = formatKubernetesVersion(backTo);
  return [
    {
      code: 'RBK010',
      title: 'Terraform owns the version',
      severity: 'recommended',
      message: `An apply of version = "${minor}" starts the rollback by itself, even a stale one, and afterwards an apply of "${controlPlane.version}" moves the control plane up again.`,
      remediation: `Merge version = "${minor}" when Belay asks for it, and hold other applies of this cluster until then.`,
    },
  ];
};
