/** kube-proxy: its version beside the control plane's, and its mode. */
import type { AddOnFact } from '../../../facts/facts.ts';
import { compareKubernetesVersions, formatKubernetesVersion, tryKubernetesVersion } from '../../../core/version.ts';
import { type Check, check, type Context, type Look, type Resource } from '../../model/check.ts';
import { lagsTooFar } from '../../../facts/version-skew.ts';
import { KUBE_PROXY } from '../../../facts/add-on-versions.ts';

const SKEW = 'https://kubernetes.io/releases/version-skew-policy/#kube-proxy';

const resource = ({ name, version }: AddOnFact): Resource => ({ kind: 'AddOn', name, note: version });

const unreadable = ({ version }: AddOnFact): Look => ({ unknown: `kube-proxy's version "${version}" cannot be read.` });

function kubeProxyLook(addOns: readonly AddOnFact[], { from, target, hops: [next = target] }: Context): Look {
  const proxy = addOns.find(({ name }) => name === KUBE_PROXY);
  if (proxy === undefined) return { pass: 'kube-proxy is no add-on here: EKS Auto Mode runs it, or nobody does.' };
  const version = tryKubernetesVersion(proxy.version);
  if (version === undefined) return unreadable(proxy);
  if (compareKubernetesVersions(version, from) > 0)
    return {
      fail: `kube-proxy ${proxy.version} is newer than the control plane at ${formatKubernetesVersion(from)}.`,
      resources: [resource(proxy)],
    };
  if (lagsTooFar(version, next))
    return {
      fail: `kube-proxy ${proxy.version} is too far behind ${formatKubernetesVersion(next)}.`,
      remediation: 'Move it to the control plane’s present minor.',
      resources: [resource(proxy)],
    };
  if (lagsTooFar(version, target))
    return {
      fail: `kube-proxy ${proxy.version} to be updated on the way: too far behind ${formatKubernetesVersion(target)}.`,
      severity: 'recommended',
      remediation: 'Nothing to do: the plan updates it before the control plane moves that far.',
      resources: [resource(proxy)],
    };
  return { pass: `kube-proxy ${proxy.version} fits.` };
}

export const kubeProxyChecks: readonly Check[] = [
  check({
    code: 'K8S002',
    area: 'Kubernetes',
    title: 'kube-proxy is at most three minors behind the control plane, never ahead',
    severity: 'required',
    reads: ['addOns'],
    remediation: 'Move it to the control plane’s present minor or older.',
    source: SKEW,
    look: ({ addOns }, context) => kubeProxyLook(addOns, context),
  }),
  check({
    code: 'K8S043',
    area: 'Kubernetes',
    title: 'kube-proxy is at the control plane’s minor',
    severity: 'recommended',
    reads: ['addOns'],
    remediation: 'Update it to this minor’s default version; it may be three minors behind, never ahead.',
    source: SKEW,
    look({ addOns }, { from }) {
      const proxy = addOns.find(({ name }) => name === KUBE_PROXY);
      if (proxy === undefined) return { pass: 'kube-proxy is no add-on here.' };
      const version = tryKubernetesVersion(proxy.version);
      if (version === undefined) return unreadable(proxy);
      if (compareKubernetesVersions(version, from) >= 0) return { pass: 'kube-proxy is not behind.' };
      return {
        fail: `kube-proxy ${proxy.version} is behind the control plane at ${formatKubernetesVersion(from)}.`,
        resources: [resource(proxy)],
      };
    },
  }),
  check({
    code: 'K8S037',
    area: 'Kubernetes',
    title: 'kube-proxy does not use IPVS',
    // EKS's notes on 1.35 announced its end with 1.36, where it still works. Upstream: deprecated in 1.35, off by default from 1.40 (kube-proxy exits), gone in 1.43.
    severity: [
      { from: '1.35', severity: 'recommended' },
      { from: '1.40', severity: 'required' },
    ],
    reads: ['kubeProxy', 'addOns'],
    remediation:
      'Set mode to nftables (iptables on kernels older than 5.13) in the kube-proxy add-on’s configuration before 1.40: from then on kube-proxy exits in mode ipvs.',
    source: 'https://kubernetes.dev/resources/keps/5495',
    look({ kubeProxy, addOns }) {
      if (kubeProxy === 'none') {
        if (!addOns.some(({ name }) => name === KUBE_PROXY)) return { pass: 'There is no kube-proxy here.' };
        return {
          unknown: 'kube-proxy runs, and has no configuration in kube-system: its mode may be one of its flags.',
          remediation: 'Look at the arguments of the DaemonSet kube-proxy for --proxy-mode.',
        };
      }
      const { mode } = kubeProxy;
      return mode === 'ipvs'
        ? { fail: 'kube-proxy is in mode ipvs.' }
        : { pass: `kube-proxy is in mode ${mode === '' ? 'iptables' : mode}.` };
    },
  }),
];
