/** Karpenter's NodePools, node classes and nodes: what holds their replacement or drives it. */
import { isPinned, lacksBuild } from '../../../facts/ami-names.ts';
import { parseDurationMs } from '../../../core/parse-duration.ts';
import { AL2_SEVERITY, areAl2Images, isAl2Alias, isAl2Class } from '../../../facts/amazon-linux-2.ts';
import { formatKubernetesVersion } from '../../../core/version.ts';
import { agree, count, someOf } from '../../../core/text.ts';
import { type Check, type Context, type Look, type Resource, unlessAny } from '../../model/check.ts';
import type { NodeClassSeen, NodePoolSeen, Shape } from '../../model/evidence.ts';
import { karpenterCheck } from './typed-check.ts';
import { parseQuantity } from '../../../facts/quantity.ts';
import { stopsDriftForGood } from '../../../facts/node-classes.ts';

const DISRUPTION = 'https://karpenter.sh/docs/concepts/disruption/';
const NODE_CLASSES = 'https://karpenter.sh/docs/concepts/nodeclasses/';
/** Replacements come before what they replace. */
const HEADROOM = 0.9;

/** Of a resource that a freeze's step can point at another class. */
export const NODE_POOL = 'NodePool';

const poolResource = ({ name }: NodePoolSeen, note: string): Resource => ({ kind: NODE_POOL, name, note });
const classResource = (name: string, note: string): Resource => ({ kind: 'EC2NodeClass', name, note });

function budgetNote({ budgets }: NodePoolSeen): string | undefined {
  if (budgets === undefined) return undefined;
  if (budgets.length === 0) return 'budgets: [] means no limit at all: every node may go at once';
  const drift = budgets.filter(({ reasons }) => reasons === undefined || reasons.includes('Drifted'));
  if (drift.length === 0) return 'no budget counts for drift: every node may go at once';
  return drift.some(stopsDriftForGood) ? 'a budget of 0 forbids drift at all times: its nodes stay at the old version' : undefined;
}

/** Karpenter finds no image for a pinned release that has none for the minor: it keeps the old images, silently (karpenter-provider-aws, AMI provider). */
function buildLook(nodeClasses: readonly NodeClassSeen[], builds: Shape<'amiBuilds'>, { hops }: Context): Look {
  const minors = hops.map(formatKubernetesVersion);
  return unlessAny(
    nodeClasses.flatMap(({ name, aliases }) =>
      aliases.filter(isPinned).flatMap((alias): Resource[] => {
        const lacking = minors.filter((minor) => lacksBuild(builds, alias, minor));
        return lacking.length === 0 ? [] : [classResource(name, `${alias} has no image for ${lacking.join(', ')}`)];
      }),
    ),
    'Every pinned release has images for the minors on the way.',
    'Pinned releases without images for the way: new nodes keep the old version once the control plane has moved, and none is replaced.',
  );
}

/** How much of a limit is used; undefined where one of the two is no quantity. What Karpenter has not counted yet is nothing. */
function shareOf({ limit, used = '0' }: NodePoolSeen['limits'][number]): number | undefined {
  const [most, now] = [parseQuantity(limit), parseQuantity(used)];
  return most === undefined || now === undefined ? undefined : now / most;
}

function limitLooks(nodePools: readonly NodePoolSeen[]): Look[] {
  const full = nodePools.flatMap((pool): Resource[] => {
    const tight = pool.limits.find((each) => (shareOf(each) ?? 0) >= HEADROOM);
    return tight === undefined ? [] : [poolResource(pool, `${tight.used} of ${tight.limit} ${tight.resource}`)];
  });
  const unread = nodePools.flatMap(({ name, limits }) =>
    limits
      .filter((each) => shareOf(each) === undefined)
      .map(({ resource, limit, used }) => `${resource} of NodePool ${name}, ${used ?? 'nothing'} of ${limit}`),
  );
  const looks: Look[] = [];
  if (full.length > 0)
    looks.push({ fail: `${count(full.length, 'NodePool')} at or near ${agree(full.length, 'its', 'their')} limits.`, resources: full });
  if (unread.length > 0) looks.push({ unknown: `These limits cannot be read as quantities: ${someOf(unread)}.` });
  return looks.length === 0 ? [{ pass: 'Every NodePool has room for replacements.' }] : looks;
}

const AL2_REMEDY = 'First create an EC2NodeClass with alias al2023@…, and point the NodePools at it.';

/** undefined: amiFamily AL2, and nothing says what its images are. */
function isOnAl2(nodeClass: NodeClassSeen): boolean | undefined {
  if (isAl2Class(nodeClass) || nodeClass.aliases.some(isAl2Alias)) return true;
  if (nodeClass.amiFamily !== 'AL2') return false;
  return nodeClass.pinned ? areAl2Images(nodeClass.amiNames) : true;
}

/** A class that no pool uses any more launches nothing. */
function al2Looks(nodeClasses: readonly NodeClassSeen[], nodePools: readonly NodePoolSeen[]): Look[] {
  const usersOf = (classes: readonly NodeClassSeen[]): NodePoolSeen[] =>
    nodePools.filter((pool) => pool.group === undefined && classes.some(({ name }) => name === pool.nodeClass));
  const old = nodeClasses.filter((each) => isOnAl2(each) === true);
  const blind = nodeClasses.filter((each) => isOnAl2(each) === undefined && usersOf([each]).length > 0);
  const users = usersOf(old);
  const looks: Look[] = [];
  if (old.length > 0)
    looks.push({
      fail: `${count(old.length, 'EC2NodeClass')} on Amazon Linux 2, which has no images from 1.33 on.`,
      resources: [
        ...old.map(({ name, alias, aliases, amiFamily }) =>
          classResource(name, alias ?? aliases.find(isAl2Alias) ?? `amiFamily ${amiFamily}`),
        ),
        ...users.map((pool) => poolResource(pool, `EC2NodeClass ${pool.nodeClass}`)),
      ],
      ...(users.length === 0 ? { severity: 'recommended' } : {}),
    });
  if (blind.length > 0)
    looks.push({
      unknown: `amiFamily AL2 with AMIs whose names do not say whether they are Amazon Linux 2 or Ubuntu: ${someOf(blind.map(({ name }) => `EC2NodeClass ${name}`))}.`,
      remediation: `Look at what they are built from. For those on Amazon Linux 2: ${AL2_REMEDY}`,
    });
  return looks.length === 0 ? [{ pass: 'No EC2NodeClass is on Amazon Linux 2.' }] : looks;
}

export const nodePoolChecks: readonly Check[] = [
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
    remediation: 'Replace these nodes first, or raise expireAfter for new ones: expiry drains by force, despite budgets and freeze.',
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
    code: 'KAR011',
    title: 'Node classes follow the control plane',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Choose AMIs by alias, or edit ids and names after the control plane moves.',
    source: NODE_CLASSES,
    look({ nodeClasses }) {
      const pinned = nodeClasses
        .filter((each) => each.pinned && each.heldAlias === undefined)
        .map(({ name, amiNames }) => classResource(name, amiNames.join(', ') || 'no alias'));
      return unlessAny(
        pinned,
        'Every EC2NodeClass chooses its AMIs by alias.',
        `${count(pinned.length, 'EC2NodeClass')} with fixed AMIs: ${agree(pinned.length, 'its', 'their')} nodes stay at the old version until somebody edits ${agree(pinned.length, 'it', 'them')}.`,
      );
    },
  }),
  karpenterCheck({
    code: 'KAR012',
    title: 'No node class is on Amazon Linux 2',
    severity: AL2_SEVERITY,
    reads: ['karpenter'],
    remediation: AL2_REMEDY,
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html',
    look: ({ nodeClasses, nodePools }) => al2Looks(nodeClasses, nodePools),
  }),
  karpenterCheck({
    code: 'KAR015',
    title: 'Pinned AMI releases have images for the target',
    severity: 'required',
    reads: ['karpenter', 'amiBuilds'],
    remediation: 'First pin a newer release with images for both minors.',
    source: NODE_CLASSES,
    look: ({ nodeClasses }, { amiBuilds }, context) => buildLook(nodeClasses, amiBuilds, context),
  }),
  karpenterCheck({
    code: 'KAR013',
    title: 'Production does not follow the newest AMI',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Pin the alias to a release (al2023@v…): @latest replaces nodes whenever AWS publishes an AMI.',
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
    title: 'NodePool budgets limit drift without blocking it',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Use the default of 10%, or a number above 0.',
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
    title: 'NodePool limits leave room for replacements',
    severity: 'recommended',
    reads: ['karpenter'],
    remediation: 'Raise spec.limits: replacements launch before their nodes go.',
    source: 'https://karpenter.sh/docs/concepts/nodepools/#speclimits',
    look: ({ nodePools }) => limitLooks(nodePools),
  }),
];
