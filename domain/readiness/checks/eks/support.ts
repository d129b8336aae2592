/** Until when EKS supports a version, what becomes of the cluster then, and whether Belay knows the version at all. */
import { compareKubernetesVersions, formatKubernetesVersion, parseKubernetesVersion } from '../../../core/version.ts';
import { NEWEST_KNOWN_MINOR, supportDates } from '../../../tables/eks-calendar.ts';
import { EXTRA_USD_PER_HOUR } from '../../../tables/eks-prices.ts';
import { count } from '../../../core/text.ts';
import { type Check, check, type Context, type Look } from '../../model/check.ts';
import type { Shape } from '../../model/evidence.ts';

const VERSIONS = 'https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html';
const HOURS_PER_MONTH = 730;
const SOON_DAYS = 60;
const DAY_MS = 86_400_000;

type Versions = Shape<'versions'>;
type SupportType = Shape<'cluster'>['supportType'];

const daysTo = (day: string, now: string): number => Math.ceil((Date.parse(day) - Date.parse(now)) / DAY_MS);

/** Extended support is over, which no policy and no payment prolongs. undefined: it is not, or its end is not known. */
function lookPastAll(minor: string, extended: string | undefined, now: string): Look | undefined {
  if (extended === undefined || daysTo(extended, now) > 0) return undefined;
  return {
    fail: `All support of ${minor} ended on ${extended}: EKS upgrades the control plane by itself, at a time that you cannot choose.`,
  };
}

/** `supportType`: under STANDARD nobody pays for staying, since EKS upgrades. */
function lookAtSupport(versions: Versions, supportType: SupportType, { from, now }: Context): Look {
  const minor = formatKubernetesVersion(from);
  const { endOfStandardSupport: standard, endOfExtendedSupport: extended } = supportDates(minor, versions);
  if (standard === undefined) return { unknown: `When standard support of ${minor} ends is not known.` };
  const past = lookPastAll(minor, extended, now);
  if (past !== undefined) return past;
  const extra = Math.round(EXTRA_USD_PER_HOUR * HOURS_PER_MONTH);
  const leftDays = daysTo(standard, now);
  const cost = `about $${extra} a month more for the cluster`;
  const isStandard = supportType === 'STANDARD';
  if (leftDays <= 0) {
    const until = extended === undefined ? '' : ` until ${extended}; then EKS upgrades it by itself`;
    if (isStandard)
      return {
        fail: `Standard support of ${minor} ended on ${standard}, and the upgrade policy is STANDARD: EKS upgrades the control plane by itself.`,
      };
    return { fail: `${minor} has been in extended support since ${standard}: staying costs ${cost}${until}.` };
  }
  if (leftDays <= SOON_DAYS)
    return {
      fail: `Standard support of ${minor} ends on ${standard}, in ${count(leftDays, 'day')}: ${isStandard ? 'then EKS upgrades the control plane by itself' : `staying then costs ${cost}`}.`,
    };
  return { pass: `${minor} is in standard support until ${standard}.` };
}

/** With the policy EXTENDED: nothing happens at the end of standard support, all the more a year later. */
function lookAtExtended(minor: string, extended: string | undefined, now: string): Look {
  const past = lookPastAll(minor, extended, now);
  if (past !== undefined) return { ...past, remediation: 'Upgrade now.' };
  const leftDays = extended === undefined ? Number.POSITIVE_INFINITY : daysTo(extended, now);
  if (leftDays > SOON_DAYS) return { pass: 'The cluster goes into extended support when standard support ends.' };
  return {
    fail: `Extended support of ${minor} ends on ${extended}, in ${count(leftDays, 'day')}: then EKS upgrades the control plane by itself.`,
    remediation: 'Upgrade before.',
  };
}

export const supportChecks: readonly Check[] = [
  check({
    code: 'EKS016',
    area: 'EKS',
    title: 'The version is in standard support',
    severity: 'recommended',
    reads: ['versions', 'cluster'],
    remediation: 'Upgrade before it ends.',
    source: VERSIONS,
    look: ({ versions, cluster }, context) => lookAtSupport(versions, cluster.supportType, context),
  }),
  check({
    code: 'EKS008',
    area: 'EKS',
    title: 'The target stays in standard support for a while',
    severity: 'recommended',
    reads: ['versions', 'cluster'],
    remediation: 'Choose a newer target, or plan the next upgrade now.',
    source: VERSIONS,
    look({ versions, cluster }, context) {
      return lookAtSupport(versions, cluster.supportType, { ...context, from: context.target });
    },
  }),
  check({
    code: 'EKS017',
    area: 'EKS',
    title: 'The end of support is planned for',
    severity: 'recommended',
    reads: ['cluster', 'versions'],
    remediation: 'Upgrade before, or set upgradePolicy.supportType to EXTENDED (it costs).',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/view-upgrade-policy.html',
    look({ cluster, versions }, { from, now }) {
      const minor = formatKubernetesVersion(from);
      const { endOfStandardSupport: standard, endOfExtendedSupport: extended } = supportDates(minor, versions);
      if (cluster.supportType === 'EXTENDED') return lookAtExtended(minor, extended, now);
      if (standard === undefined) return { unknown: 'The upgrade policy is STANDARD, and when standard support ends is not known.' };
      if (daysTo(standard, now) > SOON_DAYS) return { pass: `EKS would upgrade the cluster by itself after ${standard}.` };
      return { fail: `The upgrade policy is STANDARD: EKS upgrades the control plane by itself after ${standard}.` };
    },
  }),
  check({
    code: 'EKS034',
    area: 'EKS',
    title: 'This release of Belay knows the target',
    severity: 'required',
    reads: ['cluster'],
    remediation: 'Upgrade Belay first, or read the release notes of EKS and Kubernetes and waive the finding.',
    source: VERSIONS,
    look(_, { target }) {
      const to = formatKubernetesVersion(target);
      if (compareKubernetesVersions(target, parseKubernetesVersion(NEWEST_KNOWN_MINOR)) <= 0) return { pass: `Belay's checks know ${to}.` };
      return { fail: `This release of Belay knows Kubernetes up to ${NEWEST_KNOWN_MINOR}: what ${to} removes and changes is not checked.` };
    },
  }),
];
