/** Karpenter: its version on every hop, what is left of older APIs, what holds or drives its drift. */
import { parseDurationMs } from '../../config/duration.ts';
import { formatMinor, tryComponentVersion } from '../../component-version.ts';
import { stopsDriftForGood } from '../../plan/nodes.ts';
import { karpenterNotes } from '../../tables/karpenter-notes.ts';
import { karpenterSupport, karpenterToAvoid, smallestKarpenterFor } from '../../tables/karpenter.ts';
import { formatKubernetesVersion, type KubernetesVersion } from '../../version.ts';
import { count } from '../../words.ts';
import { type Check, check, type Context, type Look, type Resource, unlessAny } from '../check.ts';
import type { Definition, KarpenterSeen, NodePoolSeen, Shape } from '../evidence.ts';
import { resourceOf } from '../names.ts';
import type { SourceId } from '../sources.ts';

const COMPATIBILITY = 'https://karpenter.sh/docs/upgrading/compatibility/';
const GUIDE = 'https://karpenter.sh/docs/upgrading/upgrade-guide/';
const DISRUPTION = 'https://karpenter.sh/docs/concepts/disruption/';
const NODE_CLASSES = 'https://karpenter.sh/docs/concepts/nodeclasses/';
const NONE = { pass: 'There is no Karpenter here.' };
/** Replacements come before what they replace. */
const HEADROOM = 0.9;

interface KarpenterCheck<S extends SourceId> extends Omit<Check<S>, 'area' | 'look'> {
  look: (karpenter: KarpenterSeen, seen: { [Id in S]: Shape<Id> }, context: Context) => Look;
}

/** A check that passes where there is no Karpenter. */
function karpenterCheck<const S extends SourceId>({ look, ...about }: KarpenterCheck<S | 'karpenter'>): Check {
  return check<S | 'karpenter'>({
    ...about,
    area: 'Karpenter',
    look: (seen, context) => (seen.karpenter === 'none' ? NONE : look(seen.karpenter, seen, context)),
  });
}

const poolResource = ({ name }: NodePoolSeen, note: string): Resource => ({ kind: 'NodePool', name, note });
const classResource = (name: string, note: string): Resource => ({ kind: 'EC2NodeClass', name, note });

function versionLook({ version: text, deployment, namespace }: KarpenterSeen, { from, hops }: Context): Look {
  const version = tryComponentVersion(text);
  const resources = [{ kind: 'Deployment', namespace, name: deployment, note: text }];
  if (version === undefined) return { unknown: `Karpenter's version "${text}" cannot be read.` };
  const avoid = karpenterToAvoid(version);
  if (avoid !== undefined) return { fail: `Karpenter ${text} should not run: ${avoid}.`, resources };
  const minors = [from, ...hops];
  const bad = minors.filter((minor) => karpenterSupport(version, minor) === 'unsupported');
  const blind = minors.filter((minor) => karpenterSupport(version, minor) === 'unknown');
  if (bad.length > 0) {
    const bridge = smallestKarpenterFor(minors.slice(0, 2), version);
    const advice =
      bridge === undefined ? {} : { remediation: `Change to ${bridge.minimum} or newer before the first hop; the plan asks for it.` };
    return { fail: `Karpenter ${text} does not support ${said(bad)}.`, resources, ...advice };
  }
  if (blind.length > 0) return { unknown: `Whether Karpenter ${text} supports ${said(blind)} is not known to this release of Belay.` };
  return { pass: `Karpenter ${text} supports ${said(minors)}.` };
}

const said = (minors: readonly KubernetesVersion[]): string => minors.map(formatKubernetesVersion).join(', ');
const ofKarpenter = ({ group }: Definition): boolean => group === 'karpenter.sh' || group === 'karpenter.k8s.aws';

function budgetNote({ budgets }: NodePoolSeen): string | undefined {
  if (budgets === undefined) return undefined;
  if (budgets.length === 0) return 'budgets: [] means no limit at all: every node may go at once';
  const drift = budgets.filter(({ reasons }) => reasons === undefined || reasons.includes('Drifted'));
  if (drift.length === 0) return 'no budget counts for drift: every node may go at once';
  return drift.some(stopsDriftForGood) ? 'a budget of 0 forbids drift at all times: its nodes stay at the old version' : undefined;
}

/** Quantities of limits are counted where both are plain numbers or share a suffix. */
function fullLimit({ limits }: NodePoolSeen): string | undefined {
  const tight = limits.find(({ limit, used }) => used !== undefined && amount(used) / amount(limit) >= HEADROOM);
  return tight === undefined ? undefined : `${tight.used} of ${tight.limit} ${tight.resource}`;
}

const UNITS: Record<string, number> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A Kubernetes quantity as a number; NaN for what is none. */
function amount(quantity: string): number {
  const match = /^(\d+(?:\.\d+)?)(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(quantity);
  return match === null ? Number.NaN : Number(match[1]) * (UNITS[match[2] ?? ''] ?? Number.NaN);
}

export const karpenterChecks: readonly Check[] = [
  karpenterCheck({
    code: 'KAR001',
    title: 'Karpenter supports every minor on the way',
    severity: 'required',
    reads: ['karpenter'],
    remediation: 'Change to a version that supports both minors before the control plane moves.',
    source: COMPATIBILITY,
    look: (karpenter, _, context) => versionLook(karpenter, context),
  }),
  karpenterCheck({
    code: 'KAR002',
    title: 'NodePools and EC2NodeClasses are ready',
    severity: 'required',
    reads: ['karpenter'],
    remediation: 'Look at their conditions: Karpenter launches no node for them.',
    source: NODE_CLASSES,
    look: ({ nodePools, nodeClasses }) =>
      unlessAny(
        [
          ...nodePools.filter(({ ready }) => !ready).map((pool) => poolResource(pool, 'not Ready')),
          ...nodeClasses.filter(({ ready }) => !ready).map(({ name }) => classResource(name, 'not Ready')),
        ],
        'Every NodePool and EC2NodeClass is Ready.',
        'Karpenter cannot launch nodes for what is not Ready.',
      ),
  }),
  karpenterCheck({
    code: 'KAR003',
    title: 'No node expires during the upgrade',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation:
      'Replace these nodes before, or raise expireAfter for new ones: expiry drains by force, no budget and no freeze holds it up.',
    source: DISRUPTION,
    look({ claims }, _, { now, endsAt }) {
      const until = Date.parse(endsAt ?? now) + (endsAt === undefined ? 86_400_000 : 0);
      const soon = claims.flatMap(({ name, createdAt, expireAfter }): Resource[] => {
        const life = parseDurationMs(expireAfter ?? 'Never');
        const end = Date.parse(createdAt) + (life ?? Number.POSITIVE_INFINITY);
        return end > until ? [] : [{ kind: 'NodeClaim', name, note: `expires at ${new Date(end).toISOString().slice(0, 16)}Z` }];
      });
      return unlessAny(
        soon,
        'No node expires before the upgrade can be over.',
        `${count(soon.length, 'node')} expiring during the upgrade.`,
      );
    },
  }),
  karpenterCheck({
    code: 'KAR008',
    title: 'No objects of Karpenter’s old APIs are left',
    severity: 'required',
    reads: ['karpenter'],
    remediation: 'Migrate them to NodePools, EC2NodeClasses and NodeClaims first; Karpenter 0.33 and later do not see them.',
    source: GUIDE,
    look: ({ oldObjects }) =>
      unlessAny(oldObjects, 'No Provisioner, AWSNodeTemplate or Machine is left.', `${count(oldObjects.length, 'object')} of v1alpha5.`),
  }),
  karpenterCheck({
    code: 'KAR009',
    title: 'Karpenter’s CRDs are of the controller’s version',
    severity: 'recommended',
    reads: ['karpenter', 'definitions'],
    remediation: 'Install the chart karpenter-crd of the same version; a chart upgrade of Karpenter alone leaves the CRDs behind.',
    source: GUIDE,
    look({ version }, { definitions }) {
      const behind = definitions.filter(ofKarpenter).flatMap((each): Resource[] => {
        const crd = each.labels['app.kubernetes.io/version'];
        return crd === undefined || minorOf(crd) === minorOf(version)
          ? []
          : [{ kind: 'CustomResourceDefinition', name: each.name, note: `${crd}, the controller is ${version}` }];
      });
      return unlessAny(
        behind,
        'The CRDs are of the controller’s minor, or do not say theirs.',
        `${count(behind.length, 'CRD')} of another version than the controller.`,
      );
    },
  }),
  karpenterCheck({
    code: 'KAR010',
    title: 'Karpenter’s objects are stored as v1',
    severity: 'required',
    reads: ['karpenter', 'definitions'],
    remediation: 'Write each object once more, then set status.storedVersions to ["v1"]: Karpenter 1.1 refuses CRDs with more.',
    source: GUIDE,
    look(_, { definitions }) {
      const old = definitions.filter(ofKarpenter).flatMap(({ name, storedVersions }): Resource[] => {
        const left = storedVersions.filter((version) => version !== 'v1');
        return left.length === 0 ? [] : [{ kind: 'CustomResourceDefinition', name, note: `stored in ${left.join(', ')}` }];
      });
      return unlessAny(old, 'All are stored as v1.', `${count(old.length, 'CRD')} with objects stored in an older version.`);
    },
  }),
  karpenterCheck({
    code: 'KAR011',
    title: 'Node classes follow the control plane',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Choose AMIs by alias, or edit ids and names for the target when the control plane has moved.',
    source: NODE_CLASSES,
    look({ nodeClasses }) {
      const pinned = nodeClasses
        .filter((each) => each.pinned && each.heldAlias === undefined)
        .map(({ name, amiNames }) => classResource(name, amiNames.join(', ') || 'no alias'));
      return unlessAny(
        pinned,
        'Every EC2NodeClass chooses its AMIs by alias.',
        `${count(pinned.length, 'EC2NodeClass')} with fixed AMIs: their nodes stay at the old version until somebody edits them.`,
      );
    },
  }),
  karpenterCheck({
    code: 'KAR013',
    title: 'Production does not follow the newest AMI by itself',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Pin the alias to a release (al2023@v…): with @latest nodes are replaced on any day that AWS publishes an AMI.',
    source: NODE_CLASSES,
    look({ nodeClasses }, _, { environment }) {
      if (environment === undefined || !/^prod/i.test(environment)) return { pass: 'This is not production.' };
      const latest = nodeClasses.flatMap(({ name, aliases }) =>
        aliases.filter((alias) => alias.endsWith('@latest')).map((alias) => classResource(name, alias)),
      );
      return unlessAny(latest, 'Every alias names a release.', `${count(latest.length, 'EC2NodeClass')} at @latest.`);
    },
  }),
  karpenterCheck({
    code: 'KAR014',
    title: 'Budgets of NodePools limit drift, and let it happen',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Leave budgets at their default of 10%, or name a number of nodes above 0.',
    source: `${DISRUPTION}#nodepool-disruption-budgets`,
    look({ nodePools }) {
      const odd = nodePools.flatMap((pool): Resource[] => {
        const note = pool.frozenBy === undefined ? budgetNote(pool) : undefined;
        return note === undefined ? [] : [poolResource(pool, note)];
      });
      return unlessAny(
        odd,
        'Every NodePool has a budget that limits drift and allows it.',
        `${count(odd.length, 'NodePool')} whose budgets never limit or never allow drift.`,
      );
    },
  }),
  karpenterCheck({
    code: 'KAR016',
    title: 'Limits of NodePools leave room for replacements',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Raise spec.limits: a replacement is launched before its node goes.',
    source: 'https://karpenter.sh/docs/concepts/nodepools/#speclimits',
    look({ nodePools }) {
      const full = nodePools.flatMap((pool): Resource[] => {
        const note = fullLimit(pool);
        return note === undefined ? [] : [poolResource(pool, note)];
      });
      return unlessAny(full, 'Every NodePool has room for replacements.', `${count(full.length, 'NodePool')} at or near its limits.`);
    },
  }),
  karpenterCheck({
    code: 'KAR017',
    title: 'What a newer Karpenter needs is known',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Go through these with whoever changes Karpenter, before the change.',
    source: GUIDE,
    look({ version: text }, _, { from, hops }) {
      const version = tryComponentVersion(text);
      const needed = version === undefined ? undefined : smallestKarpenterFor([from, ...hops], version);
      const to = needed === undefined ? undefined : tryComponentVersion(needed.minimum);
      const notes = version === undefined || to === undefined ? [] : karpenterNotes(version, to);
      if (notes.length === 0) return { pass: 'The way to the version that is needed has no preconditions.' };
      return { fail: `Karpenter ${text} → ${needed?.minimum}: ${notes.join('; ')}.` };
    },
  }),
  karpenterCheck({
    code: 'KAR018',
    title: 'Karpenter’s CRDs have an owner that upgrades them',
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
        `${count(loose.length, 'CRD')} that no Helm release owns: a chart upgrade leaves them as they are.`,
      );
    },
  }),
];

function minorOf(text: string): string | undefined {
  const version = tryComponentVersion(text);
  return version === undefined ? undefined : formatMinor(version);
}
