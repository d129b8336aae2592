/** Defaults of belay.yaml as documents show them: taken from the values that the code applies wherever it applies one. */
import {
  DEFAULT_APPROVALS,
  DEFAULT_ISTIO,
  DEFAULT_KARPENTER,
  DEFAULT_MANAGED_BY,
  DEFAULT_NODE_GROUPS,
  DEFAULT_ROLLBACK,
  DEFAULT_TIMING,
  DEFAULT_WINDOWS,
} from '../../domain/policy/config/defaults.ts';
import { GUARDED, USUAL_CHECK, USUAL_IGNORED } from '../../domain/policy/config/health/health-defaults.ts';
import { formatDuration } from '../../domain/core/parse-duration.ts';
import { USUAL_DURATIONS } from '../../domain/plan/durations/defaults.ts';
import { code } from './markdown.ts';

/** Where the absence of a key means something that is no value. */
const IN_WORDS: Record<string, string> = {
  'clusters.NAME.region': 'required',
  'clusters.NAME.account': 'required',
  'clusters.NAME.role': "else the worker's credentials",
  'clusters.NAME.writeRole': 'else `role` changes too',
  'clusters.NAME.externalId': 'none',
  'clusters.NAME.sessionTags': '`false`',
  'clusters.NAME.network': 'none: any worker',
  'clusters.NAME.environment': "the cluster's name",
  'clusters.NAME.channel': '`slack.channel`',
  'clusters.NAME.stakeholders': '`slack.stakeholders`',
  'clusters.NAME.target': 'none',
  'clusters.NAME.strategy': '`once-at-the-end` where kubelet skew allows and `rollbackEachHop` is off',
  'clusters.NAME.rollbackEachHop': '`false`',
  'clusters.NAME.allowWorkerOnCluster': '`false`',
  'clusters.NAME.kubernetes.kubeconfig': 'else a token from AWS credentials',
  'clusters.NAME.kubernetes.context': 'its current one',
  'clusters.NAME.prometheus.url': 'else traffic and connections are unknown, and health checks use scrapes',
  'clusters.NAME.prometheus.headers': 'none',
  'clusters.NAME.prometheus.bearerTokenFrom': 'none',
  'clusters.NAME.prometheus.allowPlainHttp': '`false`',
  'clusters.NAME.prometheus.sigv4.region': "else unsigned; with `sigv4: {}` the cluster's",
  'clusters.NAME.prometheus.matchers': 'none',
  'clusters.NAME.prometheus.alertmanager.url': 'else silences are not read',
  'clusters.NAME.prometheus.alertmanager.headers': 'none',
  'clusters.NAME.prometheus.alertmanager.bearerTokenFrom': 'none',
  'clusters.NAME.prometheus.alertmanager.allowPlainHttp': '`false`',
  'clusters.NAME.prometheus.alertmanager.sigv4.region': "else unsigned; with `sigv4: {}` the cluster's",
  'clusters.NAME.waivers': 'none',
  'clusters.NAME.optionalRole': '`false`',
  'clusters.NAME.waivers[].resource': 'the whole check',
  'clusters.NAME.karpenter.waves.nodes': 'required by count',
  'clusters.NAME.karpenter.waves.gate': '`false`',
  'clusters.NAME.karpenter.migration.moveNodes': '`ask`',
  'clusters.NAME.controlPlane.logging': 'else unchanged',
  'clusters.NAME.karpenter.switchNodeClass': 'none',
  'clusters.NAME.karpenter.canaryNode': 'none',
  'clusters.NAME.karpenter.holdAmis': '`false`',
  'clusters.NAME.karpenter.promoteFrom.cluster': 'none',
  'clusters.NAME.karpenter.promoteFrom.environment': 'none',
  'clusters.NAME.karpenter.amis': 'else the classes choose',
  'clusters.NAME.istio.chart': "Istio's own repository",
  'clusters.NAME.karpenter.chart': '`oci://public.ecr.aws/karpenter/karpenter`',
  'clusters.NAME.karpenter.crdChart': '`karpenter-crd` beside `karpenter.chart`',
  'clusters.NAME.karpenter.release': "its Deployment's, else `karpenter`",
  'clusters.NAME.karpenter.crdRelease': '`karpenter-crd`',
  'clusters.NAME.karpenter.releaseNamespace': "the Deployment's, else its own",
  'approvals.rules': 'none',
  'approvals.phases': 'none',
  'approvals.singleApprover': 'none',
  'approvals.escalation.users': 'nobody',
  'approvals.escalation.groups': 'nobody',
  'approvals.escalation.after': '`0.5`',
  'approvals.requesters.users': 'every proven member',
  'approvals.requesters.groups': 'every proven member',
  'approvals.breakGlass.users': 'nobody',
  'approvals.breakGlass.groups': 'nobody',
  'approvals.breakGlass.delay': '`10m`',
  'approvals.breakGlass.enabled': '`true` if someone is named',
  'windows.timeZone': '`UTC`',
  'windows.maintenance': 'else always open',
  'windows.maintenance[].days': 'all',
  'windows.maintenance[].weeksOfMonth': 'else every week',
  'windows.maintenance[].timeZone': '`windows.timeZone`',
  'windows.exclusions': 'none',
  'windows.exclusions[].scope': '`no-upgrades`',
  'windows.exclusions[].timeZone': '`windows.timeZone`',
  'windows.quietHours': 'none',
  'windows.quietHours[].days': 'all',
  'windows.quietHours[].timeZone': '`windows.timeZone`',
  'health.interval': code(formatDuration(USUAL_CHECK.intervalMs)),
  'health.checks': 'the default ones',
  'health.watch': '`true`',
  'health.scrape': '`true`',
  'health.alerts': '`block`',
  'health.ignoreAlerts': code(JSON.stringify(USUAL_IGNORED)),
  'health.checks.NAME.off': '`false`',
  'health.checks.NAME.query': "the default check's, else required",
  'health.checks.NAME.cloudWatch.namespace': 'required for one metric',
  'health.checks.NAME.cloudWatch.metric': 'required for one metric',
  'health.checks.NAME.cloudWatch.dimensions': 'none',
  'health.checks.NAME.cloudWatch.stat': 'required for one metric',
  'health.checks.NAME.cloudWatch.expression': 'none',
  'health.checks.NAME.cloudWatch.metrics': 'none',
  'health.checks.NAME.cloudWatch.metrics.NAME.dimensions': 'none',
  'health.checks.NAME.cloudWatch.period': '`1m`',
  'health.checks.NAME.failWhen.operator': 'as `query`',
  'health.checks.NAME.failWhen.value': 'as `query`',
  'health.checks.NAME.failWhen.baseline': 'as `query`',
  'health.checks.NAME.failWhen.atLeast': 'none',
  'health.checks.NAME.interval': '`health.interval`',
  'health.checks.NAME.guards': code(GUARDED.join(', ')),
  people: 'else nobody is known on the command line',
  'signing.publicKeys': 'else nothing from Slack is believed',
  'slack.channel': 'required to start an upgrade',
  'slack.stakeholders': 'none',
  'temporal.address': '`localhost:7233`',
  'temporal.namespace': '`default`',
  'temporal.ui': 'else no links',
  'records.directory': '`records`, beside belay.yaml',
  grafana: 'else nothing is annotated',
  'grafana.bearerTokenFrom': 'none',
  'grafana.headers': 'none',
  'grafana.allowPlainHttp': '`false`',
  'records.s3.prefix': 'none',
  'records.s3.account': 'not checked',
  'records.s3.kmsKey': 'as the bucket encrypts',
  'records.s3.endpoint': "S3's",
  'records.s3.profile': 'the credentials of the process',
  'records.s3.lock.mode': '`compliance`',
};

/** Values that the code applies, by the path above their keys. */
const BY_GROUP: Record<string, object> = {
  approvals: DEFAULT_APPROVALS,
  windows: DEFAULT_WINDOWS,
  timing: DEFAULT_TIMING,
  'timing.expected': USUAL_DURATIONS,
  'health.checks.NAME': USUAL_CHECK,
  'clusters.NAME.managedBy': DEFAULT_MANAGED_BY,
  'clusters.NAME.karpenter': DEFAULT_KARPENTER,
  'clusters.NAME.istio': DEFAULT_ISTIO,
  'clusters.NAME.nodeGroups': DEFAULT_NODE_GROUPS,
  'clusters.NAME.rollback': DEFAULT_ROLLBACK,
};

/** Throws for a key that is neither in the words above nor among the defaults: a new key needs a line here. */
export function defaultOf(path: string, required: boolean): string {
  const words = IN_WORDS[path];
  if (words !== undefined) return words;
  const cut = path.lastIndexOf('.');
  const [group, key] = [path.slice(0, cut), path.slice(cut + 1)];
  const values = BY_GROUP[group];
  const value: unknown = values === undefined ? undefined : (Reflect.get(values, key) ?? durationOf(Reflect.get(values, `${key}Ms`)));
  if (value !== undefined)
    return Array.isArray(value) && value.length === 0 ? 'nobody' : code(typeof value === 'string' ? value : JSON.stringify(value));
  if (required) return 'required';
  throw new Error(`${path} has no default: add it to scripts/docs/defaults.ts.`);
}

function durationOf(value: unknown): string | undefined {
  return typeof value === 'number' ? formatDuration(value) : undefined;
}
