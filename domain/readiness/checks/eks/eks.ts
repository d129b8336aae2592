/** The control plane by itself: health, updates, insights, settings. */
import { compareKubernetesVersions, formatKubernetesVersion, tryKubernetesVersion } from '../../../core/version.ts';
import { agree, count, someOf } from '../../../core/text.ts';
import { type Check, check, type Context, type Look, type Resource, type Severity } from '../../model/check.ts';
import type { Insight } from '../../model/evidence.ts';
import { defined } from '../../../core/defined.ts';

const VERSIONS = 'https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html';
const INSIGHTS = 'https://docs.aws.amazon.com/eks/latest/userguide/cluster-insights.html';

/** Of a resource that an add-on's step can move. */
export const ADD_ON = 'AddOn';

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
