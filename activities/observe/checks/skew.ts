/** Version skew at the target: kubelets, kube-proxy (kubernetes.io: version skew policy), Karpenter and Istio. Pure. */
import { tryComponentVersion } from '../../../domain/core/component-version.ts';
import { type ClusterFacts, ISTIO_IN_USE, revisionsInUse } from '../../../domain/facts/facts.ts';
import { type Finding, istioNamed, karpenterNamed } from '../../../domain/core/findings.ts';
import { istioSupport } from '../../../domain/tables/istio.ts';
import { karpenterSupport, type Support } from '../../../domain/tables/karpenter.ts';
import { type KubernetesVersion, minorDistance, parseKubernetesVersion, tryKubernetesVersion } from '../../../domain/core/version.ts';
import { someOf } from '../../../domain/core/text.ts';
import { finding, findingUnless } from './catalogue.ts';
import { sayKubelets } from './nodes.ts';
import { KUBE_PROXY } from '../../../domain/facts/add-on-versions.ts';
import { allowedSkew, lagsTooFar } from '../../../domain/facts/version-skew.ts';

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
  const blind = unknowns.find(({ part }) => part === 'nodes' || part === 'kubelet-versions');
  if (blind !== undefined) return finding('K8S001', { status: 'unknown', message: `Kubelet versions cannot be seen: ${blind.why}.` });
  return finding('K8S001', { status: 'pass', message: `All kubelets are within the minors that a control plane at ${to} allows.` });
}

/** Never newer than the control plane, at most three minors older. */
export function checkKubeProxy({ addOns, controlPlane, unknowns }: ClusterFacts, to: string): Finding {
  const proxy = addOns.find((addOn) => addOn.name === KUBE_PROXY);
  if (proxy === undefined) {
    // Beside nodes of Auto Mode there may be others, which need it.
    const blind = unknowns.find(
      ({ part, name = KUBE_PROXY }) => (part === 'add-ons' || part === 'self-managed-add-ons') && name === KUBE_PROXY,
    );
    if (blind !== undefined) return finding('K8S002', { status: 'unknown', message: `${blind.what} cannot be seen: ${blind.why}.` });
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
  if (minorDistance(version, parseKubernetesVersion(to)) < 0) {
    return finding('K8S002', {
      status: 'fail',
      message: `kube-proxy ${proxy.version} is newer than the control plane at ${to}.`,
      resources: ['kube-proxy'],
      remediation: `Bring kube-proxy to a version for ${to} or older.`,
    });
  }
  if (!within(version, parseKubernetesVersion(to))) {
    return finding('K8S002', {
      status: 'fail',
      message: `kube-proxy ${proxy.version} is more than ${allowedSkew(version)} minors behind ${to}.`,
      resources: ['kube-proxy'],
      remediation: `Bring kube-proxy to a version for ${to}.`,
    });
  }
  return finding('K8S002', { status: 'pass', message: `kube-proxy ${proxy.version} fits ${to}.` });
}

export function checkKarpenterVersion({ karpenter, unknowns }: ClusterFacts, to: string): Finding[] {
  if (karpenter === undefined) {
    const blind = unknowns.find(({ part }) => part === 'karpenter');
    return blind === undefined
      ? []
      : [finding('KAR001', { status: 'unknown', message: `Karpenter's version cannot be seen: ${blind.why}.` })];
  }
  const installed = tryComponentVersion(karpenter.version);
  const support = installed === undefined ? 'unknown' : karpenterSupport(installed, parseKubernetesVersion(to));
  return [supportFinding('KAR001', karpenterNamed(karpenter.version), to, support)];
}

/** Every revision in use; one that serves nothing may be out of range until it is retired. */
export function checkIstioVersions({ istio, unknowns }: ClusterFacts, to: string): Finding[] {
  const blind = unknowns.find(({ part }) => ISTIO_IN_USE.includes(part));
  const unseen =
    blind === undefined ? [] : [finding('IST001', { status: 'unknown', message: `${blind.what} cannot be seen: ${blind.why}.` })];
  if (istio === undefined) return unseen;
  const versions = revisionsInUse(istio).map(({ revision, version }) => {
    const parsed = tryComponentVersion(version);
    const support = parsed === undefined ? 'unknown' : istioSupport(parsed, parseKubernetesVersion(to));
    return supportFinding('IST001', istioNamed(version, revision), to, support);
  });
  const down = istio.revisions.filter((entry) => !entry.ready).map((entry) => entry.revision);
  const ready = findingUnless('IST002', down, {
    pass: 'All istiod revisions are rolled out.',
    fail: `istiod of revision ${someOf(down)} is not fully available.`,
    remediation: 'Repair istiod first: while its webhook fails, no pod can be created in its namespaces.',
  });
  return [...versions, ...unseen, ready];
}

function supportFinding(code: 'KAR001' | 'IST001', what: string, to: string, support: Support): Finding {
  switch (support) {
    case 'supported':
      return finding(code, { status: 'pass', message: `${what} supports ${to}.` });
    case 'unsupported':
      return finding(code, {
        status: 'fail',
        message: `${what} does not support Kubernetes ${to}.`,
        resources: [what],
        remediation: `Change to a version that supports ${to}.`,
      });
    case 'unknown':
      return finding(code, {
        status: 'unknown',
        message: `Whether ${what} supports Kubernetes ${to} is not known to this release of Belay.`,
        resources: [what],
        remediation: 'Look at its compatibility table and decide.',
      });
  }
}

function within(version: KubernetesVersion | undefined, target: KubernetesVersion): boolean {
  if (version === undefined) return false;
  return minorDistance(version, target) >= 0 && !lagsTooFar(version, target);
}
