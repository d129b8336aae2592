/** Karpenter's controller: its version on every hop, its CRDs, what is left of older APIs. */
import {
  compareMinors,
  type ComponentVersion,
  formatMinor,
  formatPatch,
  parseComponentVersion,
  tryComponentVersion,
} from '../../../core/component-version.ts';
import { karpenterNotes } from '../../../tables/karpenter-notes.ts';
import { karpenterSupport, karpenterToAvoid, preferredKarpenter } from '../../../tables/karpenter.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../../core/version.ts';
import { agree, count } from '../../../core/text.ts';
import { type Check, type Context, type Look, type Resource, unlessAny } from '../../model/check.ts';
import type { Definition, KarpenterSeen } from '../../model/evidence.ts';
import { resourceOf } from '../../model/names.ts';
import { karpenterCheck } from './typed-check.ts';

const COMPATIBILITY = 'https://karpenter.sh/docs/upgrading/compatibility/';
const GUIDE = 'https://karpenter.sh/docs/upgrading/upgrade-guide/';

function versionLook({ version: text, deployment, namespace }: KarpenterSeen, { from, hops }: Context): Look {
  const version = tryComponentVersion(text);
  const resources = [{ kind: 'Deployment', namespace, name: deployment, note: text }];
  if (version === undefined) return { unknown: `Karpenter's version "${text}" cannot be read.` };
  const avoid = karpenterToAvoid(version);
  if (avoid !== undefined) return { fail: `Karpenter ${text} should not run: ${avoid}.`, resources, remediation: 'Take a newer patch.' };
  const minors = [from, ...hops];
  const bad = minors.filter((minor) => karpenterSupport(version, minor) === 'unsupported');
  const blind = minors.filter((minor) => karpenterSupport(version, minor) === 'unknown');
  if (bad.length > 0) return { fail: `Karpenter ${text} does not support ${said(bad)}.`, resources, ...changeFor(minors, version) };
  if (blind.length > 0) return { unknown: `Whether Karpenter ${text} supports ${said(blind)} is not known to this release of Belay.` };
  return { pass: `Karpenter ${text} supports ${said(minors)}.` };
}

const said = (minors: readonly KubernetesVersion[]): string => minors.map(formatKubernetesVersion).join(', ');

/** What to change to before the first hop that the installed version does not support, which may be a later one; {} where there is none. */
function changeFor(minors: readonly KubernetesVersion[], installed: ComponentVersion): { remediation?: string } {
  const hop = minors.findIndex(
    (_, at) => at > 0 && minors.slice(at - 1, at + 1).some((minor) => karpenterSupport(installed, minor) === 'unsupported'),
  );
  const choice = hop < 1 ? undefined : preferredKarpenter(minors.slice(hop - 1), installed);
  if (choice === undefined) return {};
  const when = hop === 1 ? 'the first hop' : `the hop to ${said(minors.slice(hop, hop + 1))}`;
  return { remediation: `Change to ${choice.minimum} or newer before ${when}; the plan asks for it.` };
}

/** The oldest version that does at the end of the way, where a plan changes Karpenter before each hop that needs it; undefined: there is none. */
function neededAlong(minors: readonly KubernetesVersion[], installed: ComponentVersion): string | undefined {
  let [version, minimum] = [installed, formatPatch(installed)];
  for (let hop = 0; hop + 1 < minors.length; hop += 1) {
    if (minors.slice(hop, hop + 2).every((minor) => karpenterSupport(version, minor) !== 'unsupported')) continue;
    const choice = preferredKarpenter(minors.slice(hop), version);
    if (choice === undefined) return undefined;
    ({ minimum } = choice);
    version = parseComponentVersion(choice.version);
  }
  return minimum;
}

/** The others, such as nodeoverlays, have no v1 yet. */
const WANT_V1 = new Set(['nodepools.karpenter.sh', 'nodeclaims.karpenter.sh', 'ec2nodeclasses.karpenter.k8s.aws']);
const wantsV1 = ({ name }: Definition): boolean => WANT_V1.has(name);
/** What newer releases of karpenter-crd have beside the first three, which say no version (charts/karpenter-crd of the release tags). */
const LATER_DEFINITIONS = [
  { name: 'nodeoverlays.karpenter.sh', since: '1.7.0' },
  { name: 'capacitybuffers.autoscaling.x-k8s.io', since: '1.14.0' },
];
const ofKarpenter = ({ group }: Definition): boolean => group === 'karpenter.sh' || group === 'karpenter.k8s.aws';

export const karpenterChecks: readonly Check[] = [
  karpenterCheck({
    code: 'KAR001',
    title: 'Karpenter supports every minor on the way',
    severity: 'required',
    reads: ['karpenter'],
    remediation: 'First move Karpenter to a version that supports both minors.',
    source: COMPATIBILITY,
    look: (karpenter, _, context) => versionLook(karpenter, context),
  }),
  karpenterCheck({
    code: 'KAR008',
    title: 'No objects of Karpenter’s old APIs are left',
    severity: 'required',
    reads: ['karpenter'],
    remediation: 'First migrate them to NodePools, EC2NodeClasses and NodeClaims: from 0.33 Karpenter ignores them.',
    source: GUIDE,
    look: ({ oldObjects }) =>
      unlessAny(oldObjects, 'No Provisioner, AWSNodeTemplate or Machine is left.', `${count(oldObjects.length, 'object')} of v1alpha5.`),
  }),
  karpenterCheck({
    code: 'KAR009',
    title: 'Karpenter’s CRDs match the controller’s version',
    severity: 'recommended',
    reads: ['karpenter', 'definitions'],
    remediation: 'Install the chart karpenter-crd of that version; upgrading the Karpenter chart alone leaves CRDs behind.',
    source: GUIDE,
    look({ version }, { definitions }) {
      const behind = definitions.filter(ofKarpenter).flatMap((each): Resource[] => {
        const crd = each.labels['app.kubernetes.io/version'];
        return crd === undefined || minorOf(crd) === minorOf(version)
          ? []
          : [{ kind: 'CustomResourceDefinition', name: each.name, note: `${crd}, the controller is ${version}` }];
      });
      const controller = tryComponentVersion(version);
      const missing = LATER_DEFINITIONS.filter(
        ({ name, since }) =>
          controller !== undefined &&
          compareMinors(controller, parseComponentVersion(since)) >= 0 &&
          !definitions.some((each) => each.name === name),
      ).map(({ name, since }): Resource => ({ kind: 'CustomResourceDefinition', name, note: `missing, part of ${since} and newer` }));
      return unlessAny(
        [...behind, ...missing],
        'The CRDs do not differ from the controller’s version, as far as they show it.',
        `${count(behind.length + missing.length, 'CRD')} of another version than the controller, or missing.`,
      );
    },
  }),
  karpenterCheck({
    code: 'KAR010',
    title: 'Karpenter’s objects are stored as v1',
    severity: 'required',
    reads: ['karpenter', 'definitions'],
    remediation: 'Rewrite each object, then set status.storedVersions to ["v1"]: Karpenter 1.1 refuses CRDs with more.',
    source: GUIDE,
    look(_, { definitions }) {
      const old = definitions.filter(wantsV1).flatMap(({ name, storedVersions }): Resource[] => {
        const left = storedVersions.filter((version) => version !== 'v1');
        return left.length === 0 ? [] : [{ kind: 'CustomResourceDefinition', name, note: `stored in ${left.join(', ')}` }];
      });
      return unlessAny(old, 'All are stored as v1.', `${count(old.length, 'CRD')} with objects stored in an older version.`);
    },
  }),
  karpenterCheck({
    code: 'KAR017',
    title: 'What a newer Karpenter needs is known',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'First review these with whoever changes Karpenter.',
    source: GUIDE,
    look({ version: text }, _, { from, hops }) {
      const version = tryComponentVersion(text);
      if (version === undefined) return { unknown: `Karpenter's version "${text}" cannot be read.` };
      const minors = [from, ...hops];
      const needed = neededAlong(minors, version);
      if (needed === undefined) return { unknown: `Which Karpenter supports ${said(minors)} is not known to this release of Belay.` };
      const notes = karpenterNotes(version, parseComponentVersion(needed));
      if (notes.length === 0) return { pass: 'The way to the version that is needed has no preconditions.' };
      return { fail: `Karpenter ${text} → ${needed}: ${notes.join('; ')}.` };
    },
  }),
  karpenterCheck({
    code: 'KAR018',
    title: 'Something upgrades Karpenter’s CRDs',
    severity: 'recommended',
    reads: ['karpenter', 'definitions'],
    remediation:
      'Let the chart karpenter-crd adopt them: label app.kubernetes.io/managed-by=Helm, annotations meta.helm.sh/release-name and -namespace. Never delete CRDs.',
    source: `${GUIDE}#crd-upgrades`,
    look({ labels }, { definitions }) {
      if (labels['app.kubernetes.io/managed-by'] !== 'Helm') return { pass: 'Karpenter was not installed by Helm.' };
      const loose = definitions.filter((each) => ofKarpenter(each) && each.annotations['meta.helm.sh/release-name'] === undefined);
      const resources = loose.map((each) => resourceOf('CustomResourceDefinition', { name: each.name }));
      return unlessAny(
        resources,
        'A Helm release owns the CRDs.',
        `${count(loose.length, 'CRD')} that no Helm release owns: a chart upgrade leaves ${agree(loose.length, 'it as it is', 'them as they are')}.`,
      );
    },
  }),
];

function minorOf(text: string): string | undefined {
  const version = tryComponentVersion(text);
  return version === undefined ? undefined : formatMinor(version);
}
