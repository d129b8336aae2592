/** The control plane by itself: health, support, updates, insights, settings. */
import { compareKubernetesVersions, formatKubernetesVersion, tryKubernetesVersion } from '../../../core/version.ts';
import { eksRelease } from '../../../tables/eks-calendar.ts';
import { EXTRA_USD_PER_HOUR } from '../../../tables/eks-prices.ts';
import { agree, count, someOf } from '../../../core/text.ts';
import { type Check, check, type Context, type Look, type Resource, type Severity } from '../../model/check.ts';
import type { Insight, Shape } from '../../model/evidence.ts';
import { defined } from '../../../core/defined.ts';

const VERSIONS = 'https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html';
const INSIGHTS = 'https://docs.aws.amazon.com/eks/latest/userguide/cluster-insights.html';
const HOURS_PER_MONTH = 730;
const SOON_DAYS = 60;
const DAY_MS = 86_400_000;

/** Of a resource that an add-on's step can move. */
export const ADD_ON = 'AddOn';

type Versions = Shape<'versions'>;

/** When support ends, by EKS's own answer, else by the calendar. */
function supportOf(minor: string, versions: Versions): { standard?: string; extended?: string } {
  const offered = versions.find(({ version }) => version === minor);
  const known = eksRelease(minor);
  const standard = offered?.endOfStandardSupport ?? known?.endOfStandardSupport;
  const extended = offered?.endOfExtendedSupport ?? known?.endOfExtendedSupport;
  return {
    ...(standard === undefined ? {} : { standard: standard.slice(0, 10) }),
    ...(extended === undefined ? {} : { extended: extended.slice(0, 10) }),
  };
}

/** `supportType`: under STANDARD nobody pays for staying, since EKS upgrades. */
function lookAtSupport(versions: Versions, supportType: Shape<'cluster'>['supportType'], { from, now }: Context): Look {
  const minor = formatKubernetesVersion(from);
  const { standard, extended } = supportOf(minor, versions);
  if (standard === undefined) return { unknown: `When standard support of ${minor} ends is not known.` };
  const extra = Math.round(EXTRA_USD_PER_HOUR * HOURS_PER_MONTH);
  const leftDays = Math.ceil((Date.parse(standard) - Date.parse(now)) / DAY_MS);
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

/** One look for each insight of a category. */
function lookAtInsights(all: readonly Insight[], category: Insight['category'], context: Context): Look[] {
  const own = all.filter((each) => each.category === category);
  const open = own.filter(({ status }) => status !== 'PASSING');
  if (open.length > 0) return open.map((each) => lookAtInsight(each, blocks(each, context) ? 'required' : 'recommended'));
  return [{ pass: own.length === 0 ? 'EKS has none.' : `${count(own.length, 'insight')} ${agree(own.length, 'passes', 'pass')}.` }];
}

/** An error about a minor after the target, or about going back, does not stand in the way. */
function blocks({ status, category, kubernetesVersion }: Insight, { target }: Context): boolean {
  const minor = tryKubernetesVersion(kubernetesVersion ?? '');
  const isLater = minor !== undefined && compareKubernetesVersions(minor, target) > 0;
  return status === 'ERROR' && category !== 'ROLLBACK_READINESS' && !isLater;
}

function lookAtInsight(insight: Insight, severity: Severity): Look {
  const { name, status, reason, recommendation, resources, addOns, deprecations, kubernetesVersion } = insight;
  const about = `${name}${kubernetesVersion === undefined ? '' : ` (${kubernetesVersion})`}: ${reason ?? `EKS says ${status}`}`;
  if (status === 'UNKNOWN') return { unknown: about, ...defined({ remediation: recommendation }) };
  const calls = deprecations.flatMap(({ usage, clients }) =>
    clients.map(
      ({ userAgent, requests30Days }): Resource => ({
        kind: 'Client',
        name: userAgent,
        note: `${usage}, ${count(requests30Days, 'request')} in 30 days`,
      }),
    ),
  );
  return {
    fail: about,
    severity,
    resources: [
      ...(addOns?.map((name): Resource => ({ kind: ADD_ON, name })) ?? resources.map((uri): Resource => ({ kind: 'Object', name: uri }))),
      ...calls,
    ],
    ...defined({ remediation: recommendation }),
  };
}

export const eksChecks: readonly Check[] = [
  check({
    code: 'EKS001',
    area: 'EKS',
    title: 'Cluster is ACTIVE without health issues',
    severity: 'required',
    reads: ['cluster'],
    remediation: 'Repair what EKS reports (console: health issues).',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html#cluster-health-status',
    look({ cluster: { status, healthIssues } }) {
      if (status === 'ACTIVE' && healthIssues.length === 0) return { pass: 'The cluster is ACTIVE.' };
      if (healthIssues.length === 0) return { fail: `The cluster is ${status}.` };
      return {
        fail: `The cluster is ${status} and EKS reports ${someOf(healthIssues.map(({ code }) => code))}.`,
        resources: healthIssues.flatMap(({ code, message, resourceIds }) =>
          (resourceIds.length === 0 ? [''] : resourceIds).map((name): Resource => ({ kind: code, name, note: message })),
        ),
      };
    },
  }),
  check({
    code: 'EKS002',
    area: 'EKS',
    title: 'No other update is running',
    severity: 'required',
    reads: ['updates'],
    remediation: 'Wait until it ends; EKS runs one per cluster.',
    source: 'https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateClusterVersion.html',
    look({ updates }) {
      if (updates.length === 0) return { pass: 'No update is in progress.' };
      return {
        fail: `EKS is busy with ${someOf(updates.map(({ type }) => type))}.`,
        resources: updates.map(({ id, type, resource }) => ({ kind: type, name: id, note: resource })),
      };
    },
  }),
  check({
    code: 'EKS004',
    area: 'EKS',
    title: 'EKS upgrade insights pass',
    severity: 'required',
    reads: ['insights'],
    remediation: 'Follow the insight’s recommendation.',
    source: INSIGHTS,
    look: ({ insights }, context) => lookAtInsights(insights.insights, 'UPGRADE_READINESS', context),
  }),
  check({
    code: 'EKS018',
    area: 'EKS',
    title: 'EKS configuration insights pass',
    severity: 'recommended',
    reads: ['insights'],
    remediation: 'Follow the insight’s recommendation.',
    source: INSIGHTS,
    look: ({ insights }, context) => lookAtInsights(insights.insights, 'MISCONFIGURATION', context),
  }),
  check({
    code: 'EKS019',
    area: 'EKS',
    title: 'The control plane could be rolled back',
    severity: 'recommended',
    reads: ['insights'],
    remediation: 'Follow the insight’s recommendation, or accept that you cannot roll back.',
    source: INSIGHTS,
    look: ({ insights }, context) => lookAtInsights(insights.insights, 'ROLLBACK_READINESS', context),
  }),
  check({
    code: 'EKS007',
    area: 'EKS',
    title: 'EKS offers the target version',
    severity: 'required',
    reads: ['versions'],
    remediation: 'Choose a version that EKS offers.',
    source: VERSIONS,
    look({ versions }, { target }) {
      const to = formatKubernetesVersion(target);
      const offered = versions.filter(({ status }) => status !== 'UNSUPPORTED').map(({ version }) => version);
      return offered.includes(to) ? { pass: `EKS offers ${to}.` } : { fail: `EKS does not offer ${to}; it offers ${someOf(offered, 10)}.` };
    },
  }),
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
    title: 'The end of standard support is planned for',
    severity: 'recommended',
    reads: ['cluster', 'versions'],
    remediation: 'Upgrade before, or set upgradePolicy.supportType to EXTENDED (it costs).',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/view-upgrade-policy.html',
    look({ cluster, versions }, { from, now }) {
      const { standard } = supportOf(formatKubernetesVersion(from), versions);
      if (cluster.supportType === 'EXTENDED') return { pass: 'The cluster goes into extended support when standard support ends.' };
      if (standard === undefined) return { unknown: 'The upgrade policy is STANDARD, and when standard support ends is not known.' };
      const leftDays = Math.ceil((Date.parse(standard) - Date.parse(now)) / DAY_MS);
      if (leftDays > SOON_DAYS) return { pass: `EKS would upgrade the cluster by itself after ${standard}.` };
      return { fail: `The upgrade policy is STANDARD: EKS upgrades the control plane by itself after ${standard}.` };
    },
  }),
  check({
    code: 'EKS021',
    area: 'EKS',
    title: 'The control plane keeps audit logs',
    severity: 'recommended',
    reads: ['cluster'],
    remediation: 'Enable the log types api and audit, which record who called what.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html',
    look({ cluster: { logging } }) {
      const missing = ['api', 'audit'].filter((type) => !logging.includes(type));
      return missing.length === 0
        ? { pass: 'Logs of the API server and audit logs are on.' }
        : { fail: `Control-plane logging is off for ${missing.join(' and ')}.` };
    },
  }),
  check({
    code: 'EKS022',
    area: 'EKS',
    title: 'Access does not depend on aws-auth alone',
    severity: 'recommended',
    reads: ['cluster'],
    remediation: 'Set the authentication mode to API_AND_CONFIG_MAP and give administrators access entries.',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html',
    look({ cluster: { authenticationMode } }) {
      if (authenticationMode !== 'CONFIG_MAP') return { pass: `The authentication mode is ${authenticationMode}.` };
      return { fail: 'The authentication mode is CONFIG_MAP: whoever breaks aws-auth locks everybody out.' };
    },
  }),
];
