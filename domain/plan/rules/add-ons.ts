/** Rules about EKS add-ons: valid on both minors, kube-proxy never ahead, vpc-cni step by step. */
import {
  compareKubernetesVersions,
  formatKubernetesVersion,
  type KubernetesVersion,
  minorDistance,
  tryKubernetesVersion,
} from '../../core/version.ts';
import type { ClusterState, Moment } from '../state/replay.ts';
import { type Breach, controlPlaneMoments, type Rule, type RuleContext } from './rule.ts';
import { allowedSkew, lagsTooFar } from '../../facts/version-skew.ts';
import { isValidOn, KUBE_PROXY, offeredFor, skippedCniMinors, VPC_CNI } from '../../facts/add-on-versions.ts';

export const addOnsValidOnBothMinors: Rule = {
  name: 'add-ons-valid-on-both-minors',
  text: 'Before the control plane moves, every add-on but kube-proxy has a version EKS offers on both minors; finally one for the target.',
  remedy: 'Update it to one EKS offers on both minors, or remove it.',
  check(context) {
    const end = context.moments.at(-1)?.after;
    return [
      ...controlPlaneMoments(context).flatMap(({ before, after }) =>
        invalidAddOns(context, before, [before.controlPlane, after.controlPlane]),
      ),
      ...(end === undefined ? [] : invalidAddOns(context, end, [end.controlPlane])),
    ];
  },
};

function invalidAddOns({ facts }: RuleContext, state: ClusterState, minors: readonly KubernetesVersion[]): Breach[] {
  return facts.addOns.flatMap((addOn) => {
    const version = state.addOns[addOn.name] ?? addOn.version;
    const invalid = minors.filter((minor) => isValidOn(addOn, version, minor) === false);
    if (addOn.name === KUBE_PROXY || invalid.length === 0) return [];
    const offers = invalid.map((minor) => `${formatKubernetesVersion(minor)}: ${newestOffers(addOn, minor)}`).join('; ');
    return [
      {
        message: `${addOn.name} ${version} is not offered on Kubernetes ${invalid.map(formatKubernetesVersion).join(' and ')} (${offers}).`,
      },
    ];
  });
}

function newestOffers(addOn: RuleContext['facts']['addOns'][number], minor: KubernetesVersion): string {
  return (offeredFor(addOn, minor) ?? [])
    .slice(0, 3)
    .map((offer) => offer.version)
    .join(', ');
}

export const kubeProxyNotAhead: Rule = {
  name: 'kube-proxy-not-ahead',
  text: 'kube-proxy is never newer than the API server: it moves after the control plane and all other add-ons.',
  remedy: 'Update it last, in add-ons-target.',
  check({ facts, moments }) {
    const installed = facts.addOns.find((addOn) => addOn.name === KUBE_PROXY)?.version;
    const first = moments[0];
    const now = installed === undefined || first === undefined ? [] : ahead(installed, first.before, 'now');
    return [...now, ...moments.flatMap((moment) => kubeProxyBreaches(moment))];
  },
};

function kubeProxyBreaches({ step, after }: Moment): Breach[] {
  if (step.params.phase !== 'add-ons-bridge' && step.params.phase !== 'add-ons-target') return [];
  const { changes } = step.params;
  const change = changes.find((c) => c.name === KUBE_PROXY);
  if (change === undefined) return [];
  if (step.params.phase === 'add-ons-bridge') return [{ message: `${step.id} changes kube-proxy before the control plane moves.` }];
  const notLast = changes.at(-1)?.name === KUBE_PROXY ? [] : [{ message: `${step.id} does not change kube-proxy last.` }];
  return [...notLast, ...ahead(change.to, after, `after ${step.id}`)];
}

function ahead(version: string, state: ClusterState, when: string): Breach[] {
  const minor = tryKubernetesVersion(version);
  if (minor === undefined || compareKubernetesVersions(minor, state.controlPlane) <= 0) return [];
  return [{ message: `kube-proxy ${version} is newer than the control plane (${formatKubernetesVersion(state.controlPlane)}) ${when}.` }];
}

export const kubeProxySkew: Rule = {
  name: 'kube-proxy-skew',
  text: 'kube-proxy is at most three minors behind (two below 1.25).',
  remedy: 'First update it to the present minor, or use strategy every-hop.',
  check: (context) =>
    controlPlaneMoments(context).flatMap(({ before, after }): Breach[] => {
      const version = before.addOns[KUBE_PROXY];
      const minor = version === undefined ? undefined : tryKubernetesVersion(version);
      if (minor === undefined || !lagsTooFar(minor, after.controlPlane)) return [];
      const behind = minorDistance(minor, after.controlPlane);
      const to = formatKubernetesVersion(after.controlPlane);
      return [
        { message: `kube-proxy ${version} would be ${behind} minors behind a control plane at ${to}; ${allowedSkew(minor)} are allowed.` },
      ];
    }),
};

export const vpcCniOneMinorAtATime: Rule = {
  name: 'vpc-cni-one-minor-at-a-time',
  text: 'vpc-cni moves minor by minor, if EKS offers those in between.',
  remedy: 'Add a change per minor in between.',
  check: ({ facts, moments }) =>
    moments.flatMap(({ step, before }): Breach[] => {
      if (step.params.phase !== 'add-ons-bridge' && step.params.phase !== 'add-ons-target') return [];
      const addOn = facts.addOns.find((a) => a.name === VPC_CNI);
      if (addOn === undefined) return [];
      return step.params.changes
        .filter((change) => change.name === VPC_CNI)
        .flatMap((change): Breach[] => {
          const skipped = skippedCniMinors(addOn, change.from, change.to, before.controlPlane);
          return skipped.length === 0
            ? []
            : [{ message: `${step.id} takes vpc-cni from ${change.from} to ${change.to}, past ${skipped.join(', ')}.` }];
        });
    }),
};
