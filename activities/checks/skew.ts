/** Version skew: kubelets, kube-proxy (kubernetes.io: version skew policy), Karpenter and Istio against both minors of a hop. Pure. */
import { tryComponentVersion } from '../../domain/component-version.ts';
import type { ClusterFacts } from '../../domain/facts.ts';
import type { Finding } from '../../domain/findings.ts';
import { allowedSkew, lagsTooFar } from '../../domain/plan/nodes.ts';
import { istioSupport, istioVersionsFor } from '../../domain/tables/istio.ts';
import { karpenterSupport, smallestKarpenterFor, type Support } from '../../domain/tables/karpenter.ts';
import { type KubernetesVersion, minorDistance, parseKubernetesVersion, tryKubernetesVersion } from '../../domain/version.ts';
import { someOf } from '../../domain/words.ts';
import { finding, findingUnless } from './catalogue.ts';
import { sayKubelets } from './nodes.ts';

export function checkKubelets({ kubelets, unknowns }: ClusterFacts, to: string): Finding {
  const target = parseKubernetesVersion(to);
  const wrong = kubelets.filter((fact) => !within(tryKubernetesVersion(fact.minor), target));
  if (wrong.length > 0) {
    const names = wrong.map(sayKubelets);
    return finding('K8S001', {
      status: 'fail',
      message: `With the control plane at ${to} these kubelets are out of range: ${someOf(names)}.`,
      resources: names,
      remediation: 'Replace these nodes before this hop.',
    });
  }
  const blind = unknowns.find((entry) => entry.what === 'the nodes' || entry.what.startsWith('the kubelet version'));
  if (blind !== undefined) return finding('K8S001', { status: 'unknown', message: `Kubelet versions cannot be seen: ${blind.why}.` });
  return finding('K8S001', { status: 'pass', message: `All kubelets are within the minors that a control plane at ${to} allows.` });
}

/** Against the minor that the control plane has now (never newer) and will have (at most three older). */
export function checkKubeProxy({ addOns, controlPlane }: ClusterFacts, from: string, to: string): Finding {
  const proxy = addOns.find((addOn) => addOn.name === 'kube-proxy');
  if (proxy === undefined) {
    return controlPlane.autoMode
      ? finding('K8S002', { status: 'pass', message: 'Auto Mode runs kube-proxy itself.' })
      : finding('K8S002', { status: 'unknown', message: 'kube-proxy was found neither as an add-on nor in kube-system.' });
  }
  const version = tryKubernetesVersion(proxy.version);
  if (version === undefined) {
    return finding('K8S002', {
      status: 'unknown',
      message: `kube-proxy's version "${proxy.version}" cannot be read.`,
      resources: ['kube-proxy'],
    });
  }
  if (minorDistance(version, parseKubernetesVersion(from)) < 0) {
    return finding('K8S002', {
      status: 'fail',
      message: `kube-proxy ${proxy.version} is newer than the control plane at ${from}.`,
      resources: ['kube-proxy'],
      remediation: `Bring kube-proxy to a version for ${from} or older.`,
    });
  }
  if (!within(version, parseKubernetesVersion(to))) {
    return finding('K8S002', {
      status: 'fail',
      message: `kube-proxy ${proxy.version} is more than ${allowedSkew(version)} minors behind ${to}.`,
      resources: ['kube-proxy'],
      remediation: `Bring kube-proxy to a version for ${from} first.`,
    });
  }
  return finding('K8S002', { status: 'pass', message: `kube-proxy ${proxy.version} fits ${from} and ${to}.` });
}

/** Outside the matrix is a required finding only where no release would do: else the plan's own step changes it first. */
export function checkKarpenterVersion({ karpenter, unknowns }: ClusterFacts, minors: readonly string[]): Finding[] {
  if (karpenter === undefined) {
    const blind = unknowns.find((entry) => entry.what === 'the Karpenter Deployment');
    return blind === undefined
      ? []
      : [finding('KAR001', { status: 'unknown', message: `Karpenter's version cannot be seen: ${blind.why}.` })];
  }
  const installed = tryComponentVersion(karpenter.version);
  const supports = (minor: KubernetesVersion): Support => (installed === undefined ? 'unknown' : karpenterSupport(installed, minor));
  const judged = supportFinding('KAR001', `Karpenter ${karpenter.version}`, minors, supports);
  const choice =
    judged.status === 'fail' && minors.length > 1 ? smallestKarpenterFor(minors.map(parseKubernetesVersion), installed) : undefined;
  if (choice === undefined) return [judged];
  return [
    finding('KAR005', {
      status: 'fail',
      message: `${judged.message} Karpenter ${choice.minimum} or newer does.`,
      resources: judged.resources,
      remediation: 'Nothing to do now: the plan changes Karpenter before the control plane moves.',
    }),
  ];
}

/** Every revision that serves a namespace; one that serves none may be out of range until it is retired. */
export function checkIstioVersions({ istio, unknowns }: ClusterFacts, minors: readonly string[]): Finding[] {
  const blind = unknowns.find((entry) => ['the istiod Deployments', 'the namespaces', 'the Istio revision tags'].includes(entry.what));
  const unseen =
    blind === undefined ? [] : [finding('IST001', { status: 'unknown', message: `${blind.what} cannot be seen: ${blind.why}.` })];
  if (istio === undefined) return unseen;
  const canBridge = minors.length > 1 && istioVersionsFor(minors.map(parseKubernetesVersion)).length > 0;
  const used = istio.revisions.filter((entry) => istio.namespaces.some((namespace) => namespace.revision === entry.revision));
  const versions = used.map(({ revision, version }) => {
    const parsed = tryComponentVersion(version);
    const supports = (minor: KubernetesVersion): Support => (parsed === undefined ? 'unknown' : istioSupport(parsed, minor));
    const judged = supportFinding('IST001', `Istio ${version} (revision ${revision})`, minors, supports);
    if (judged.status !== 'fail' || !canBridge) return judged;
    return finding('IST003', {
      status: 'fail',
      message: judged.message,
      resources: judged.resources,
      remediation: 'Nothing to do now: the plan moves the namespaces to a revision that does, before the control plane moves.',
    });
  });
  const down = istio.revisions.filter((entry) => !entry.ready).map((entry) => entry.revision);
  const ready = findingUnless('IST002', down, {
    pass: 'All istiod revisions are rolled out.',
    fail: `istiod of revision ${someOf(down)} is not fully available.`,
    remediation: 'Repair istiod first: while its webhook fails, no pod can be created in its namespaces.',
  });
  return [...versions, ...unseen, ready];
}

function supportFinding(
  code: 'KAR001' | 'IST001',
  what: string,
  minors: readonly string[],
  supports: (minor: KubernetesVersion) => Support,
): Finding {
  const answers = minors.map((minor) => ({ minor, support: supports(parseKubernetesVersion(minor)) }));
  const bad = answers.filter((answer) => answer.support === 'unsupported').map((answer) => answer.minor);
  if (bad.length > 0) {
    return finding(code, {
      status: 'fail',
      message: `${what} does not support Kubernetes ${bad.join(' and ')}.`,
      resources: [what],
      remediation: `Change to a version that supports ${minors.join(' and ')}.`,
    });
  }
  const blind = answers.filter((answer) => answer.support === 'unknown').map((answer) => answer.minor);
  if (blind.length > 0) {
    return finding(code, {
      status: 'unknown',
      message: `Whether ${what} supports Kubernetes ${blind.join(' and ')} is not known to this release of Belay.`,
      resources: [what],
      remediation: 'Look at its compatibility table and decide.',
    });
  }
  return finding(code, { status: 'pass', message: `${what} supports ${minors.join(' and ')}.` });
}

function within(version: KubernetesVersion | undefined, target: KubernetesVersion): boolean {
  if (version === undefined) return false;
  return minorDistance(version, target) >= 0 && !lagsTooFar(version, target);
}
