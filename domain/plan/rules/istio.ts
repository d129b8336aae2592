/** Rules about Istio: its support table and how far a canary may jump. */
import { compareMinors, formatMinor, tryComponentVersion } from '../../core/component-version.ts';
import { istioSupport, istioVersionsFor } from '../../tables/istio.ts';
import { formatKubernetesVersion, type KubernetesVersion, nextMinor } from '../../core/version.ts';
import { type Breach, controlPlaneMoments, type Rule, type RuleContext } from './rule.ts';

export const istioSupportsBothMinors: Rule = {
  name: 'istio-supports-both-minors',
  text: 'Before the control plane moves, every Istio revision in use and every canary supports both minors.',
  remedy: 'First upgrade Istio to one that does.',
  check: (context) => [...unsupportedAtTheMove(context), ...unsupportedCanaries(context)],
};

function unsupportedAtTheMove(context: RuleContext): Breach[] {
  return controlPlaneMoments(context).flatMap(({ before, after }) => {
    const minors = [before.controlPlane, after.controlPlane];
    const unfit = before.mesh.inUse.filter((r) => minors.some((minor) => istioSupport(r.version, minor) === 'unsupported'));
    return unfit.map((r) => ({
      message: `Istio ${r.text} (revision ${r.revision}) does not support both ${both(minors)}.`,
      remedy: wayOut(minors),
    }));
  });
}

function unsupportedCanaries({ moments }: RuleContext): Breach[] {
  return moments.flatMap(({ step, before }) => {
    if (step.params.phase !== 'istio') return [];
    const minors = [before.controlPlane, nextMinor(before.controlPlane)];
    const unfit = step.params.canaries.filter((canary) => {
      const version = tryComponentVersion(canary.toMinor);
      return version === undefined || minors.some((minor) => istioSupport(version, minor) !== 'supported');
    });
    return unfit.map((canary) => ({
      message: `${step.id} would run Istio ${canary.toMinor}, which is not known to support both ${both(minors)}.`,
      remedy: wayOut(minors),
    }));
  });
}

export const istioCanaryJump: Rule = {
  name: 'istio-canary-jump',
  text: 'A canary revision goes up at most two minors, or one with istio-cni or ztunnel.',
  remedy: 'Add a canary in between.',
  check: ({ facts, moments }) =>
    moments.flatMap(({ step }): Breach[] => {
      if (step.params.phase !== 'istio') return [];
      const limit = istioMaxJump(facts.istio?.hasCniOrZtunnel === true);
      return step.params.canaries.flatMap((canary): Breach[] => {
        const [from, to] = [tryComponentVersion(canary.fromVersion), tryComponentVersion(canary.toMinor)];
        if (from === undefined || to === undefined) return [{ message: `${step.id} has a canary of an unreadable version.` }];
        const jump = from.major === to.major ? to.minor - from.minor : Infinity;
        if (jump >= 1 && jump <= limit) return [];
        const way = compareMinors(to, from) <= 0 ? 'which is not newer' : `more than ${limit} minor${limit === 1 ? '' : 's'} on`;
        return [{ message: `${step.id} goes from Istio ${formatMinor(from)} to ${formatMinor(to)}, ${way}.` }];
      });
    }),
};

/** Minors that one canary may jump (Istio canary upgrades; istio-cni and ztunnel lag istiod by one at most). */
export function istioMaxJump(hasCniOrZtunnel: boolean): number {
  return hasCniOrZtunnel ? 1 : 2;
}

function both(minors: readonly KubernetesVersion[]): string {
  return `Kubernetes ${minors.map(formatKubernetesVersion).join(' and ')}`;
}

function wayOut(minors: readonly KubernetesVersion[]): string {
  const fit = istioVersionsFor(minors).map(formatMinor);
  if (fit.length === 0) return `No Istio is known to support both ${both(minors)}: choose a nearer target.`;
  return `Upgrade Istio first; ${fit.join(', ')} support${fit.length === 1 ? 's' : ''} both ${both(minors)}.`;
}
