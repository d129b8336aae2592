/** EKS add-ons: health, versions on both sides of each hop, configuration. */
import type { AddOnFact } from '../../../facts/facts.ts';
import { isWell } from '../../../facts/resource-health.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../../core/version.ts';
import { count, someOf } from '../../../core/text.ts';
import { type Check, check, type Context, type Look, type Resource, unlessAny } from '../../model/check.ts';
import { isValidOn, KUBE_PROXY, offeredFor, skippedCniMinors, VPC_CNI } from '../../../facts/add-on-versions.ts';

const MANAGING = 'https://docs.aws.amazon.com/eks/latest/userguide/eks-add-ons.html';
const VPC_CNI_UPDATE = 'https://docs.aws.amazon.com/eks/latest/userguide/vpc-add-on-update.html';

const resource = ({ name, version }: AddOnFact, note = version): Resource => ({ kind: 'AddOn', name, note });

/** Both minors of each hop, in order. */
const pairs = ({ from, hops }: Context): [KubernetesVersion, KubernetesVersion][] => hops.map((to, index) => [hops[index - 1] ?? from, to]);

/** A hop for which no version is valid on both sides. What EKS lists at all, it lists for each minor that the add-on may run on. */
function brokenHop(addOn: AddOnFact, context: Context): string | undefined {
  if (isUnlisted(addOn)) return undefined;
  const broken = pairs(context).find(([from, to]) => {
    const now = offeredFor(addOn, from) ?? [];
    return !(offeredFor(addOn, to) ?? []).some(({ version }) => now.some((each) => each.version === version));
  });
  return broken?.map(formatKubernetesVersion).join(' and ');
}

/** EKS publishes nothing about versions of this one. */
const isUnlisted = (addOn: AddOnFact): boolean => Object.keys(addOn.offered).length === 0;

function compatibility(addOns: readonly AddOnFact[], context: Context): Look[] {
  const judged = addOns.filter(({ name }) => name !== KUBE_PROXY);
  const broken = judged.flatMap((addOn): Resource[] => {
    const hop = brokenHop(addOn, context);
    return hop === undefined ? [] : [resource(addOn, `no version is valid on both ${hop}`)];
  });
  return among(judged, broken, {
    pass: 'Every add-on has a version for both sides of each hop.',
    fail: `${count(broken.length, 'add-on')} without a version for both sides of a hop.`,
  });
}

/** What is wrong, and those of which nothing can be said: EKS lists no version of them. */
function among(addOns: readonly AddOnFact[], wrong: readonly Resource[], { pass, fail }: { pass: string; fail: string }): Look[] {
  const unlisted = addOns.filter((addOn) => addOn.managed && isUnlisted(addOn)).map(({ name }) => name);
  const looks: Look[] = [];
  if (wrong.length > 0) looks.push({ fail, resources: wrong });
  if (unlisted.length > 0)
    looks.push({ unknown: `Which versions of ${someOf(unlisted)} are valid cannot be seen.`, remediation: 'Read the release notes.' });
  return looks.length === 0 ? [{ pass }] : looks;
}

/** Known not to be offered for this minor: what EKS lists at all, it lists for each minor that the add-on may run on. */
const isOutOf = (addOn: AddOnFact, minor: KubernetesVersion): boolean =>
  !isUnlisted(addOn) && isValidOn(addOn, addOn.version, minor) !== true;

export const addOnChecks: readonly Check[] = [
  check({
    code: 'EKS011',
    area: 'EKS',
    title: 'Add-ons have a version for both minors of each hop',
    severity: 'required',
    reads: ['addOns'],
    remediation: 'Ask the publisher for a version for the target, or remove it first.',
    source: MANAGING,
    look: ({ addOns }, context) => compatibility(addOns, context),
  }),
  check({
    code: 'EKS012',
    area: 'EKS',
    title: 'Add-ons are ACTIVE without health issues',
    severity: 'required',
    reads: ['addOns'],
    remediation: 'Repair them before the control plane moves.',
    source: MANAGING,
    look({ addOns }) {
      const sick = addOns.filter((addOn) => addOn.managed && !isWell(addOn));
      if (sick.length === 0) return { pass: 'All managed add-ons are ACTIVE.' };
      return {
        fail: `${count(sick.length, 'add-on')} with issues.`,
        resources: sick.map((addOn) =>
          resource(addOn, [addOn.status, ...addOn.healthIssues.map(({ code, message }) => `${code}: ${message}`)].join(', ')),
        ),
      };
    },
  }),
  check({
    code: 'EKS029',
    area: 'EKS',
    title: 'Add-on versions are offered for the present minor',
    severity: 'recommended',
    reads: ['addOns'],
    remediation: 'Update to the default version of this minor.',
    source: MANAGING,
    look({ addOns }, { from }) {
      const judged = addOns.filter(({ name }) => name !== KUBE_PROXY);
      const old = judged.filter((addOn) => isOutOf(addOn, from)).map((addOn) => resource(addOn));
      return among(judged, old, {
        pass: 'EKS offers every installed version.',
        fail: `${count(old.length, 'add-on')} at a version that EKS does not offer for ${formatKubernetesVersion(from)}.`,
      });
    },
  }),
  check({
    code: 'EKS031',
    area: 'EKS',
    title: 'Add-on versions also exist for the target',
    severity: 'recommended',
    reads: ['addOns'],
    remediation: 'Nothing to do if the plan updates it; owners update self-managed ones.',
    source: MANAGING,
    look({ addOns }, { target }) {
      const left = addOns.filter((addOn) => isOutOf(addOn, target)).map((addOn) => resource(addOn));
      const to = formatKubernetesVersion(target);
      return among(addOns, left, {
        pass: `EKS offers every installed version for ${to} too.`,
        fail: `${count(left.length, 'add-on')} at a version that EKS does not offer for ${to}.`,
      });
    },
  }),
  check({
    code: 'EKS032',
    area: 'EKS',
    title: 'Add-ons are at the newest version for the present minor',
    severity: 'recommended',
    reads: ['addOns'],
    remediation: 'Update first if the newer version fixes a problem you have.',
    source: MANAGING,
    look({ addOns }, { from }) {
      const behind = addOns.flatMap((addOn): Resource[] => {
        if (!addOn.managed) return [];
        const newest = offeredFor(addOn, from)?.[0]?.version;
        if (newest === undefined || isValidOn(addOn, addOn.version, from) !== true || addOn.version === newest) return [];
        return [resource(addOn, `${addOn.version}, the newest is ${newest}`)];
      });
      return among(addOns, behind, {
        pass: 'Every add-on is at its newest version.',
        fail: `${count(behind.length, 'add-on')} with a newer version on offer.`,
      });
    },
  }),
  check({
    code: 'EKS026',
    area: 'EKS',
    title: 'vpc-cni moves one minor at a time',
    severity: 'recommended',
    reads: ['addOns'],
    remediation: 'Nothing to do: the plan does that.',
    source: VPC_CNI_UPDATE,
    look({ addOns }, { from, hops, target }) {
      const cni = addOns.find(({ name }) => name === VPC_CNI);
      const wanted = cni === undefined ? undefined : offeredFor(cni, target)?.find(({ isDefault }) => isDefault)?.version;
      if (cni === undefined) return { pass: 'There is no vpc-cni to move.' };
      if (wanted === undefined)
        return {
          unknown: `EKS lists no default version of vpc-cni for ${formatKubernetesVersion(target)}: how far it moves cannot be seen.`,
          remediation: 'Read the release notes.',
        };
      // What the target no longer offers, an earlier minor on the way does.
      const passed = [...new Set([from, ...hops].flatMap((minor) => skippedCniMinors(cni, cni.version, wanted, minor)))];
      return passed.length === 0
        ? { pass: `vpc-cni ${cni.version} is at most one minor from ${wanted}.` }
        : { fail: `vpc-cni ${cni.version} → ${wanted} passes over ${passed.join(', ')}.`, resources: [resource(cni)] };
    },
  }),
  check({
    code: 'EKS027',
    area: 'EKS',
    title: 'EKS manages the add-ons it offers',
    severity: 'recommended',
    reads: ['addOns'],
    remediation: 'Create the EKS add-on (resolveConflicts OVERWRITE or PRESERVE), or update its manifest on each hop.',
    source: MANAGING,
    look({ addOns }) {
      const own = addOns.filter(({ managed }) => !managed);
      if (own.length === 0) return { pass: 'EKS manages every add-on that was found.' };
      return {
        fail: `${count(own.length, 'add-on')} that EKS does not manage: ${someOf(own.map(({ name }) => name))}.`,
        resources: own.map((addOn) => resource(addOn)),
      };
    },
  }),
  check({
    code: 'EKS028',
    area: 'EKS',
    title: 'Add-on configuration fits the next version',
    severity: 'required',
    reads: ['addOnConfiguration'],
    remediation:
      'Remove the fields from the configuration values or adapt them: otherwise EKS refuses the update (InvalidParameterException).',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/updating-an-add-on.html',
    look({ addOnConfiguration }) {
      const odd = addOnConfiguration.filter(({ unknownKeys = [] }) => unknownKeys.length > 0);
      if (odd.length > 0) {
        return {
          fail: `${count(odd.length, 'add-on')} whose configuration the next version does not know.`,
          resources: odd.map(({ name, version, unknownKeys = [] }) => ({
            kind: 'AddOn',
            name,
            note: `${version}: ${unknownKeys.join(', ')}`,
          })),
        };
      }
      const blind = addOnConfiguration.filter(({ unknownKeys }) => unknownKeys === undefined).map(({ name }) => name);
      if (blind.length === 0) return { pass: 'The version that comes knows every configured field.' };
      return {
        unknown: `Whether the configuration of ${someOf(blind)} will be valid cannot be seen: EKS shows no schema for the target.`,
        remediation: 'Compare it with aws eks describe-addon-configuration of the version that you will install.',
      };
    },
  }),
  check({
    code: 'EKS033',
    area: 'EKS',
    title: 'Nobody else changes EKS-managed add-on fields',
    severity: 'recommended',
    reads: ['addOnConfiguration'],
    remediation: 'Move the change into the configuration values. Belay’s PRESERVE keeps it; NONE fails with ConfigurationConflict.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-field-management.html',
    look({ addOnConfiguration }) {
      const edited = addOnConfiguration.flatMap(({ name, edits }) =>
        edits.map(
          (edit): Resource => ({ kind: edit.kind, namespace: 'kube-system', name: edit.name, note: `${name}, changed by ${edit.by}` }),
        ),
      );
      return unlessAny(
        edited,
        'Nobody beside EKS owns fields of its add-ons.',
        `${count(edited.length, 'edit')} of workloads that EKS manages.`,
      );
    },
  }),
];
