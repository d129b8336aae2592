/** Findings about Karpenter, Istio and add-ons. */
import { formatMinor, formatPatch, tryComponentVersion } from '../../core/component-version.ts';
import type { Finding } from '../../core/findings.ts';
import { isWell } from '../../facts/resource-health.ts';
import { istioEndOfLife, istioPastEndOfLife, istioSupport } from '../../tables/istio.ts';
import { karpenterRangeText, karpenterSupport, karpenterToAvoid } from '../../tables/karpenter.ts';
import { karpenterNotes } from '../../tables/karpenter-notes.ts';
import { formatKubernetesVersion } from '../../core/version.ts';
import { meshOf } from '../istio/mesh.ts';
import type { Delivery } from '../model/changes.ts';
import { controlPlaneMinor } from '../state/nodes.ts';
import { meshEdgeFindings } from './mesh-edge.ts';
import { finding, findingAbout, type FindingContext, withCondition } from './finding.ts';
import { skippedCniMinors, VPC_CNI } from '../../facts/add-on-versions.ts';

export function componentFindings(context: FindingContext): Finding[] {
  return [
    ...karpenterNow(context),
    ...karpenterOnTheWay(context),
    ...istioNow(context),
    ...istioOnTheWay(context),
    ...meshEdgeFindings(context),
    ...istioAtTheEnd(context),
    ...addOnFindings(context),
  ];
}

function karpenterNow({ facts, target }: FindingContext): Finding[] {
  if (facts.karpenter === undefined) return [];
  const { version: text } = facts.karpenter;
  const version = tryComponentVersion(text);
  const minor = controlPlaneMinor(facts);
  const at = formatKubernetesVersion(minor);
  const support = version === undefined ? 'unknown' : karpenterSupport(version, minor);
  const avoid = version === undefined ? undefined : karpenterToAvoid(version);
  const findings: Finding[] = [];
  if (support === 'unsupported' && version !== undefined)
    findings.push(
      finding({
        code: 'PLN010',
        title: 'Karpenter is outside its compatibility matrix now',
        message: `Karpenter ${formatPatch(version)} supports Kubernetes ${karpenterRangeText(version) ?? 'none that is known'}, and the cluster is at ${at}.`,
        resources: [`karpenter ${text}`],
        remediation: 'The plan changes Karpenter before anything else moves.',
      }),
    );
  if (support === 'unknown' || (version !== undefined && karpenterSupport(version, target) === 'unknown'))
    findings.push(
      finding({
        code: 'PLN011',
        title: 'Karpenter’s version is not in the compatibility matrix',
        severity: 'required',
        status: 'unknown',
        message: `Whether Karpenter ${text} supports ${at} to ${formatKubernetesVersion(target)} is not known to Belay.`,
        resources: [`karpenter ${text}`],
        remediation: 'Look at karpenter.sh/docs/upgrading/compatibility before you approve the plan.',
      }),
    );
  if (avoid !== undefined)
    findings.push(
      finding({
        code: 'PLN012',
        title: 'Karpenter release to avoid',
        message: `Karpenter ${text} should not run: ${avoid}.`,
        resources: [`karpenter ${text}`],
        remediation: 'Take a newer patch.',
      }),
    );
  return findings;
}

function karpenterOnTheWay({ draft }: FindingContext): Finding[] {
  return draft.steps.flatMap(({ params }) => {
    if (params.phase !== 'karpenter-controller') return [];
    const [from, to] = [tryComponentVersion(params.from), tryComponentVersion(params.to)];
    const notes = from === undefined || to === undefined ? [] : karpenterNotes(from, to);
    if (notes.length === 0) return [];
    return [
      finding({
        code: 'PLN013',
        title: 'Karpenter’s upgrade has preconditions',
        severity: 'required',
        status: 'unknown',
        message: `Karpenter ${params.from} → ${params.to}: ${notes.join('; ')}. ${seenLater(params.delivery)}`,
        resources: [`karpenter ${params.from}`],
        remediation: 'Go through these with whoever changes Karpenter.',
      }),
    ];
  });
}

/** Where Belay makes the change there is a gate before it. */
function seenLater(delivery: Delivery | undefined): string {
  return delivery === undefined
    ? 'Belay does not see whether this is so.'
    : 'The gate before the change shows what IAM grants; the rest Belay does not see.';
}

function istioNow({ facts }: FindingContext): Finding[] {
  if (facts.istio === undefined) return [];
  const minor = controlPlaneMinor(facts);
  const at = formatKubernetesVersion(minor);
  const unreadable = facts.istio.revisions.filter((r) => tryComponentVersion(r.version) === undefined);
  const mesh = meshOf(facts.istio);
  return [
    ...findingAbout(
      mesh.inUse.filter((r) => istioSupport(r.version, minor) === 'unsupported'),
      (r) => `${r.revision} (${r.text})`,
      (names) => ({
        code: 'PLN020',
        title: 'Istio does not support the cluster’s version now',
        message: `Revision ${names} does not support Kubernetes ${at}.`,
        remediation: 'The plan upgrades Istio before the control plane moves.',
      }),
    ),
    ...findingAbout(
      mesh.idle,
      (r) => `${r.revision} (${r.text})`,
      (names) => ({
        code: 'PLN021',
        title: 'Istio revisions without namespaces',
        message: `No namespace uses revision ${names}.`,
        remediation: 'Retire them when they are not needed; a webhook of a deleted revision blocks new pods.',
      }),
    ),
    ...findingAbout(
      unreadable,
      (r) => r.revision,
      (names) => ({
        code: 'PLN022',
        title: 'Istio’s version is unknown',
        severity: 'required',
        status: 'unknown',
        message: `The version of revision ${names} cannot be read from istiod's image.`,
        remediation: 'Look at these revisions before you approve the plan.',
      }),
    ),
  ];
}

/** Asked to move by tag where there is none: people should hear it before a namespace's label changes. */
function istioOnTheWay({ draft }: FindingContext): Finding[] {
  const untagged = draft.steps.flatMap(({ params }) =>
    params.phase === 'istio' && params.moveBy === 'tag' ? params.canaries.filter(({ tags }) => tags === undefined) : [],
  );
  return findingAbout(
    untagged,
    (canary) => canary.fromRevision,
    (names) => ({
      code: 'PLN025',
      title: 'Istio moves by label without a tag',
      message: `istio.moveBy is tag, but no revision tag points at ${names}: namespaces are labelled with the new revision instead.`,
      remediation: 'Set a tag and select it in the namespaces first, where they are to be moved by tag.',
    }),
  );
}

function istioAtTheEnd({ facts, draft, target, now }: FindingContext): Finding[] {
  if (facts.istio === undefined) return [];
  const minors = [...draft.hops.map((hop) => hop.to), target];
  const { inUse } = draft.mesh;
  const past = inUse.filter((r) => istioPastEndOfLife(r.version, now) === true);
  return [
    ...findingAbout(
      past,
      (r) => `${r.revision} (${r.text})`,
      (names) => ({
        code: 'PLN023',
        title: 'Istio reaches end of life before the plan ends',
        message: `The plan ends with revision ${names}, past its end of life (${past.map((r) => istioEndOfLife(r.version) ?? 'long ago').join(', ')}).`,
        remediation: 'Plan a further Istio upgrade.',
      }),
    ),
    ...findingAbout(
      inUse.filter((r) => minors.some((minor) => istioSupport(r.version, minor) === 'unknown')),
      (r) => `${r.revision} (${formatMinor(r.version)})`,
      (names) => ({
        code: 'PLN024',
        title: 'Istio’s support for the target is unknown',
        severity: 'required',
        status: 'unknown',
        message: `Whether revision ${names} supports Kubernetes ${[...new Set(minors.map(formatKubernetesVersion))].join(', ')} is not known to Belay.`,
        remediation: 'Look at istio.io/latest/docs/releases/supported-releases before you approve the plan.',
      }),
    ),
  ];
}

function addOnFindings({ facts, draft }: FindingContext): Finding[] {
  const changes = draft.steps.flatMap(({ params }) =>
    params.phase === 'add-ons-bridge' || params.phase === 'add-ons-target' ? params.changes : [],
  );
  const jumps = changes.filter((change) => change.name === VPC_CNI && jumpsMinors(change.from, change.to));
  const cni = facts.addOns.find((addOn) => addOn.name === VPC_CNI);
  const gaps = jumps.filter(
    (change) => cni !== undefined && draft.hops.every((hop) => skippedCniMinors(cni, change.from, change.to, hop.from).length === 0),
  );
  return [
    ...findingAbout(
      facts.addOns.filter((addOn) => !addOn.managed),
      (addOn) => addOn.name,
      (names) => ({
        code: 'PLN030',
        title: 'Self-managed add-ons',
        message: `${names} run in kube-system but are not EKS add-ons; their changes are asked for, not made.`,
        remediation: 'Create the EKS add-ons, or update the manifests when Belay asks.',
      }),
    ),
    ...findingAbout(
      gaps,
      (change) => `${change.from} → ${change.to}`,
      (names) => ({
        code: 'PLN031',
        title: 'vpc-cni skips a minor',
        message: `vpc-cni goes ${names}; EKS offers no version of the minors between.`,
        remediation: 'AWS recommends one minor at a time; try this change on a test cluster first.',
      }),
    ),
    ...findingAbout(
      facts.addOns.filter((addOn) => !isWell(addOn)),
      withCondition,
      (names) => ({
        code: 'PLN032',
        title: 'Add-ons are not healthy',
        severity: 'required',
        message: `${names}.`,
        remediation: 'Solve the add-ons’ health issues before the control plane moves.',
      }),
    ),
  ];
}

function jumpsMinors(from: string, to: string): boolean {
  const [a, b] = [tryComponentVersion(from), tryComponentVersion(to)];
  return a !== undefined && b !== undefined && (b.major !== a.major || b.minor - a.minor > 1);
}
