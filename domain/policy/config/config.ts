/** Validated configuration, and what it says about one cluster. */
import { ConfigError, type ConfigProblem, type KeyPath, problemsOf, renderPath } from './base/errors.ts';
import {
  DEFAULT_APPROVALS,
  DEFAULT_CONTROL_PLANE,
  DEFAULT_ISTIO,
  DEFAULT_KARPENTER,
  DEFAULT_MANAGED_BY,
  DEFAULT_NODE_GROUPS,
  DEFAULT_ROLLBACK,
  DEFAULT_TIMING,
} from './defaults.ts';
import { RIGHT_ACCOUNT } from './base/fields.ts';
import { groupsOf, mergeApprovals, unverifiable } from './sections/approvals.ts';
import { campaignProblems, campaignsFrom } from './sections/campaigns.ts';
import { sameClusters } from './sections/names.ts';
import { environmentProblems } from './sections/environments.ts';
import { deliveriesFrom, notificationProblems } from './sections/notifications.ts';
import { nearest } from './base/nearest.ts';
import { environmentOf, layersOf, refOf, refsOf, resolve } from './resolve.ts';
import { withoutEmptySettings } from './base/without-empty.ts';
import type { GrafanaAccess } from './sections/grafana.ts';
import { type ClusterInput, type ConfigInput, configJsonSchema, configSchema } from './schema.ts';
import { writeRoleProblem } from './sections/roles.ts';
import { healthOf, watchOf } from './health/health.ts';
import { peopleFrom, sharedIdentities } from './sections/people.ts';
import type { PrometheusAccess } from './health/prometheus.ts';
import { proposalProblems, proposalsFrom } from './sections/proposals.ts';
import { type RecordsPlace, recordsPlace } from './sections/records.ts';
import { sharedChannel, unknownToSlack, unreadableGroups, usesSlack } from './without-slack.ts';
import { mergeTiming } from './sections/timing.ts';
import { windowsFrom } from './sections/windows.ts';
import type { CampaignPolicy } from '../campaigns.ts';
import { type ConfiguredDelivery, deliveriesFor } from '../deliveries.ts';
import type { UpgradePolicy } from '../policy.ts';
import type { ProposalPolicy } from '../proposals.ts';
import type { ReadinessSettings } from '../../readiness/model/settings.ts';
import type { ClusterRef } from '../../core/cluster-ref.ts';
import { defined } from '../../core/defined.ts';

/** How to reach a cluster. */
export interface ClusterAccess extends ClusterRef {
  /** Role to assume. */
  role?: string;
  /** Role to assume for changes. */
  writeRole?: string;
  sessionTags?: boolean;
  /** Sent with every AssumeRole. */
  externalId?: string;
  /** Absent: a token made from AWS credentials. */
  kubeconfig?: string;
  context?: string;
  /** Address of a tunnel to the API server; belay.yaml has none. */
  tunnel?: string;
  prometheus?: PrometheusAccess;
}

/** What the file says about one cluster, over its defaults. */
export interface ClusterConfig {
  access: ClusterAccess;
  policy: UpgradePolicy;
  /** The version to upgrade to where a command names none. */
  target?: string;
  readiness: ReadinessSettings;
}

export interface Config {
  /** As named to the user, for messages. */
  fileName: string;
  clusterNames: string[];
  temporal: { address?: string; namespace?: string; ui?: string };
  /** Where runs keep their records. */
  records: RecordsPlace;
  /** Where steps are shown as annotations; absent: nowhere. */
  grafana?: GrafanaAccess;
  /** Who hears of runs beside Slack. */
  deliveries: readonly ConfiguredDelivery[];
  /** Is any channel named? */
  usesSlack: boolean;
  /** Groups that are named without Slack: by this file nobody may start anything (`refuseToStart`). */
  unreadableGroups: readonly ConfigProblem[];
  /** Every approver group of any cluster, each once. */
  approverGroups: string[];
  /** Of Slack processes, by id: their messages are believed. */
  publicKeys: Readonly<Record<string, string>>;
  /** By name; asked through `policyOf`, `accessOf`, `defaultTarget` and `readinessOf`. */
  clusters: ReadonlyMap<string, ClusterConfig>;
  /** By name; asked through `campaignOf`. */
  campaigns: ReadonlyMap<string, CampaignPolicy>;
  /** Absent: Belay proposes no campaigns. */
  proposals?: ProposalPolicy;
}

/** Checks what YAML gave. `lineOf` finds the line of a path, for messages. Throws ConfigError naming every problem. */
export function validateConfig(raw: unknown, source: { fileName: string; lineOf?: (path: KeyPath) => number | undefined }): Config {
  const lineOf = source.lineOf ?? (() => undefined);
  const given = withoutEmptySettings(raw);
  // A file is read once: parsers that Zod compiles for the next time cost more than they spare.
  const parsed = configSchema.safeParse(given, { jitless: true });
  if (!parsed.success) throw new ConfigError(source.fileName, problemsOf(parsed.error.issues, given, configJsonSchema(), lineOf));
  const input = parsed.data;
  const clusters = new Map<string, ClusterConfig>();
  const used = Object.keys(input.clusters).map((name) => environmentOf(input, name));
  const approvals = mergeApprovals(DEFAULT_APPROVALS, input.approvals);
  const problemAt = (path: KeyPath, message: string): ConfigProblem => ({ path: renderPath(path), message, line: lineOf(path) });
  const ofNames = [
    ...environmentProblems(input.environments, used),
    ...campaignProblems(input.campaigns, { clusters: Object.keys(input.clusters), environments: used }, approvals),
    ...proposalProblems(input.proposals, sharedChannel(input)),
    ...unknownToSlack(input),
    ...notificationProblems(input.notifications, { clusters: Object.keys(input.clusters), environments: used }),
  ].map(({ path, message }) => problemAt(path, message));
  const twice = sameClusters(Object.fromEntries(Object.keys(input.clusters).map((name) => [name, resolve(input, name)])));
  const problems: ConfigProblem[] = [
    ...ofNames,
    ...twice.map(({ path, message }) => problemAt(path, message)),
    ...sharedIdentities(peopleFrom(input.people)),
  ];
  for (const name of Object.keys(input.clusters)) {
    const settings = resolve(input, name);
    const { region, account } = settings;
    const lacks = (key: string, right: string): void =>
      void problems.push({ path: `clusters.${name}.${key}`, message: `is missing; ${right}`, line: lineOf(['clusters', name]) });
    if (region === undefined) lacks('region', 'write an AWS region such as eu-west-1');
    if (account === undefined) lacks('account', RIGHT_ACCOUNT);
    const roles = writeRoleProblem(settings);
    if (roles !== undefined) problems.push(problemAt(['clusters', name, ...roles.path], roles.message));
    const unverified = unverifiable(layersOf(input, name, 'approvals').reduce(mergeApprovals, DEFAULT_APPROVALS));
    if (unverified !== undefined) problems.push({ path: `clusters.${name}.approvals.allowUnverifiedCli`, message: unverified });
    const sources = promotionSources(input, name, settings);
    if (sources.problem !== undefined)
      problems.push({
        path: `clusters.${name}.karpenter.promoteFrom`,
        message: sources.problem,
        line: lineOf(['clusters', name, 'karpenter']),
      });
    for (const problem of healthOf(layersOf(input, name, 'health')).problems)
      problems.push({ path: `clusters.${name}.health.checks.${problem.name}`, message: problem.message });
    if (region !== undefined && account !== undefined)
      clusters.set(name, clusterConfig(input, settings, refOf(input, { name, account, region }), sources.refs));
  }
  if (problems.length > 0) throw new ConfigError(source.fileName, problems);
  const shared = {
    approvals,
    channel: sharedChannel(input),
    timing: [input.timing, input.defaults?.timing].reduce(mergeTiming, DEFAULT_TIMING),
    windows: windowsFrom([input.windows, input.defaults?.windows]),
  };
  const campaigns = campaignsFrom(input.campaigns, shared);
  const decidedBy = [...[...clusters.values()].map(({ policy }) => policy.approvals), ...[...campaigns.values()].map((of) => of.approvals)];
  return {
    fileName: source.fileName,
    clusterNames: [...clusters.keys()],
    temporal: input.temporal ?? {},
    records: recordsPlace(input.records),
    ...defined({ grafana: input.grafana }),
    deliveries: deliveriesFrom(input.notifications, usesSlack(input)),
    usesSlack: usesSlack(input),
    unreadableGroups: unreadableGroups(input).map(({ path, message }) => problemAt(path, message)),
    approverGroups: [...new Set(decidedBy.flatMap(groupsOf))],
    publicKeys: input.signing?.publicKeys ?? {},
    clusters,
    campaigns,
    ...defined({ proposals: proposalsFrom(input.proposals, shared) }),
  };
}

/** The clusters behind karpenter.promoteFrom, never the cluster itself. */
function promotionSources(input: ConfigInput, name: string, { karpenter }: ClusterInput): { refs: ClusterRef[]; problem?: string } {
  const { cluster, environment } = karpenter?.promoteFrom ?? {};
  if (cluster === undefined && environment === undefined) return { refs: [] };
  const all = Object.keys(input.clusters);
  if (cluster === name) return { refs: [], problem: 'names the cluster itself; name the one whose AMI releases are promoted' };
  if (cluster !== undefined && !all.includes(cluster)) {
    const close = nearest(cluster, all);
    return {
      refs: [],
      problem: `names cluster "${cluster}", which is not in this file${close === undefined ? '' : `; did you mean "${close}"?`}`,
    };
  }
  const isMeant = (other: string): boolean => (cluster === undefined ? environmentOf(input, other) === environment : other === cluster);
  const refs = refsOf(
    input,
    all.filter((other) => other !== name && isMeant(other)),
  );
  return refs.length > 0 ? { refs } : { refs, problem: `names environment "${environment}", and no other cluster of this file is in it` };
}

function clusterConfig(input: ConfigInput, settings: ClusterInput, cluster: ClusterRef, bakers: ClusterRef[]): ClusterConfig {
  const { role, writeRole, sessionTags, externalId, kubernetes, prometheus, target } = settings;
  const { promoteFrom, ...karpenter } = settings.karpenter ?? {};
  const environment = environmentOf(input, cluster.name);
  const timings = [input.timing, input.defaults?.timing, input.clusters[cluster.name]?.timing];
  const people = peopleFrom(input.people);
  const deliveries = deliveriesFor(deliveriesFrom(input.notifications, usesSlack(input)), { cluster: cluster.name, environment });
  const policy: UpgradePolicy = {
    cluster,
    environment,
    channel: settings.channel ?? sharedChannel(input),
    stakeholders: settings.stakeholders ?? input.slack?.stakeholders,
    strategy: settings.strategy,
    rollbackEachHop: settings.rollbackEachHop ?? false,
    managedBy: { ...DEFAULT_MANAGED_BY, ...defined(settings.managedBy) },
    approvals: layersOf(input, cluster.name, 'approvals').reduce(mergeApprovals, DEFAULT_APPROVALS),
    windows: windowsFrom(layersOf(input, cluster.name, 'windows')),
    ...watchedBy(layersOf(input, cluster.name, 'health'), prometheus !== undefined),
    ...afterOf(input, environment),
    ...defined({ people, forecast: settings.forecast }),
    ...(deliveries.length === 0 ? {} : { deliveries }),
    ...(settings.allowWorkerOnCluster === true ? { allowWorkerOnCluster: true } : {}),
    timing: timings.reduce(mergeTiming, DEFAULT_TIMING),
    karpenter: {
      ...DEFAULT_KARPENTER,
      ...defined(karpenter),
      ...(promoteFrom === undefined ? {} : { promoteFrom: { clusters: bakers, bakedDays: promoteFrom.bakedDays } }),
    },
    nodeGroups: { ...DEFAULT_NODE_GROUPS, ...defined(settings.nodeGroups) },
    controlPlane: { ...DEFAULT_CONTROL_PLANE, ...defined(settings.controlPlane) },
    rollback: { ...DEFAULT_ROLLBACK, ...defined(settings.rollback) },
    istio: { ...DEFAULT_ISTIO, ...defined(settings.istio) },
    temporalUi: input.temporal?.ui,
  };
  const { kubeconfig, context } = kubernetes ?? {};
  const access = { ...cluster, role, writeRole, sessionTags, externalId, kubeconfig, context, prometheus };
  const waivers = [...(input.defaults?.waivers ?? []), ...(input.clusters[cluster.name]?.waivers ?? [])];
  return { access, policy, target, readiness: { waivers, optional: settings.optionalRole ?? false } };
}

/** Without a Prometheus, and without checks on CloudWatch or scrapes, there is nobody to ask. */
function watchedBy(layers: Parameters<typeof healthOf>[0], hasPrometheus: boolean): Pick<UpgradePolicy, 'health' | 'watch'> {
  const { policy: health } = healthOf(layers, hasPrometheus);
  return { ...(hasPrometheus || health.checks.length > 0 ? { health } : {}), ...watchOf(layers) };
}

export function afterOf(input: ConfigInput, environment: string): Pick<UpgradePolicy, 'after'> {
  const after = input.environments?.[environment]?.after;
  if (after === undefined) return {};
  const before = Object.keys(input.clusters).filter((name) => environmentOf(input, name) === after.environment);
  return { after: { ...after, clusters: refsOf(input, before) } };
}
