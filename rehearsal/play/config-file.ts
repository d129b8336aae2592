/** The rehearsal's belay.yaml: a scenario's cluster, and all waiting divided by the speed. */
import { stringify } from 'yaml';
import { formatDuration } from '../../domain/core/parse-duration.ts';
import { isRecord } from '../../domain/core/unknown.ts';
import type { Scenario } from '../scenarios/scenario.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * A request without an answer is given up after ten seconds of wall time: transient lasts longer than two of them. What real parts need is
 * wall time as well. Karpenter looks for drift every ten seconds and launches before it drains, a few nodes at a time; an
 * API server takes seconds to come up, more of them on a busy machine.
 */
const AT_LEAST = {
  twin: { driftBlockedAfter: second, driftNamedAfter: second, apiTransient: 25 * second },
  realParts: { driftBlockedAfter: 5 * minute, driftNamedAfter: minute, apiTransient: 2 * minute },
};

/** Wall time. */
const LOOK_AT_LEAST_MS = 250;

export interface ConfigFileInput {
  scenario: Pick<
    Scenario,
    'cluster' | 'environment' | 'managedBy' | 'karpenter' | 'istio' | 'strategy' | 'settings' | 'prometheus' | 'alertmanager' | 'neighbours'
  >;
  speed: number;
  channel: string;
  approvers: { users: string[]; groups: string[] };
  /** Of Belay's processes. */
  publicKeys: Record<string, string>;
  prometheusUrl: string;
  /** Temporal UI. */
  ui?: string;
  recordsDirectory: string;
  /** Kubernetes and Karpenter are real ones. */
  realParts?: boolean;
  /** Where charts are, for scenarios whose Istio or Karpenter is managed by Helm. */
  chartRepository?: string;
}

/** What several clusters have in common. */
export interface SharedConfig extends Omit<ConfigFileInput, 'scenario' | 'prometheusUrl' | 'realParts' | 'chartRepository'> {
  /** Of belay.yaml. */
  campaigns?: Record<string, unknown>;
}

/** YAML text. Names no kubeconfig: endpoint and token come through the AWS calls, as in real life. */
export function configFile(input: ConfigFileInput): string {
  return fileOf(clustersOf(input), input);
}

/** The same for several clusters. */
export function fleetConfigFile(members: readonly Pick<ConfigFileInput, 'scenario' | 'prometheusUrl'>[], shared: SharedConfig): string {
  return fileOf(Object.assign({}, ...members.map((member) => clustersOf({ ...shared, ...member }))), shared);
}

function fileOf(clusters: Record<string, unknown>, input: SharedConfig & Pick<ConfigFileInput, 'realParts'>): string {
  return stringify({
    clusters,
    approvals: { users: input.approvers.users, groups: input.approvers.groups, quorum: 1, allowRequester: true, allowUnverifiedCli: true },
    ...(input.campaigns === undefined ? {} : { campaigns: input.campaigns }),
    signing: { publicKeys: input.publicKeys },
    slack: { channel: input.channel },
    ...(input.ui === undefined ? {} : { temporal: { ui: input.ui } }),
    records: { directory: input.recordsDirectory },
    health: healthOf(input),
    timing: writtenTiming(rehearsalTiming(input.speed, input.realParts === true ? AT_LEAST.realParts : AT_LEAST.twin)),
  });
}

/** `timing` of belay.yaml with its units. */
export function writtenTiming(timing: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written = (value: unknown): unknown => {
    if (typeof value === 'number') return formatDuration(value);
    return isRecord(value) ? writtenTiming(value) : value;
  };
  return Object.fromEntries(Object.entries(timing).map(([name, value]) => [name, written(value)]));
}

/** A scenario's cluster, and those beside it. */
function clustersOf(input: ConfigFileInput): Record<string, unknown> {
  const { scenario } = input;
  const { name, eksName, region, account } = scenario.cluster;
  return {
    [name]: {
      ...(eksName === undefined ? {} : { name: eksName }),
      region,
      account,
      environment: scenario.environment,
      managedBy: scenario.managedBy,
      ...(scenario.strategy === undefined ? {} : { strategy: scenario.strategy }),
      karpenter: { ...scenario.karpenter, ...(scenario.managedBy.karpenter === 'helm' ? chartOf(input) : {}) },
      ...(scenario.istio === undefined ? {} : { istio: { ...scenario.istio, ...chartOf(input) } }),
      ...scenario.settings,
      ...(scenario.prometheus === 'none' ? {} : { prometheus: prometheusOf(input) }),
    },
    ...Object.fromEntries((scenario.neighbours ?? []).map((each) => [each.name, { region, account, environment: each.environment }])),
  };
}

function prometheusOf({ scenario, prometheusUrl }: ConfigFileInput): Record<string, unknown> {
  const alertmanager = scenario.alertmanager === true ? { alertmanager: { url: `${prometheusUrl}/alertmanager` } } : {};
  return { url: prometheusUrl, ...scenario.settings?.prometheus, ...alertmanager };
}

/** Looks cost the machine that plays everything real time; on one that also runs a real API server, its latency says nothing of an upgrade. */
function healthOf({ speed, realParts }: Pick<ConfigFileInput, 'speed' | 'realParts'>): Record<string, unknown> {
  const interval = Math.max(LOOK_AT_LEAST_MS, Math.round((30 * second) / speed));
  return { interval: formatDuration(interval), ...(realParts === true ? { checks: { 'api-server-latency': { severity: 'warn' } } } : {}) };
}

function chartOf({ chartRepository }: ConfigFileInput): { chart?: string } {
  return chartRepository === undefined ? {} : { chart: chartRepository };
}

/**
 * Milliseconds by the names of belay.yaml. Heartbeats and board edits stay wall time, as does what Temporal, processes and people need:
 * polls of 50 ms, a look at the freeze every second, a minute for a gate, a minute (a restart included) for any time-out.
 */
function rehearsalTiming(speed: number, atLeast: (typeof AT_LEAST)['twin']): Record<string, number | Record<string, number>> {
  const divided = (worldMs: number, atLeastMs: number): number => Math.max(atLeastMs, Math.round(worldMs / speed));
  return {
    pollMin: divided(1 * second, 50),
    pollMax: divided(30 * second, 50),
    heartbeatTimeout: 10 * second,
    boardEdit: 3 * second,
    bake: divided(10 * minute, 50),
    gateDeadline: divided(24 * hour, minute),
    freezeCheck: divided(1 * minute, second),
    freezeReminder: divided(24 * hour, minute),
    driftBlockedAfter: divided(10 * minute, atLeast.driftBlockedAfter),
    driftNamedAfter: divided(1 * minute, atLeast.driftNamedAfter),
    paceStep: divided(10 * minute, 50),
    waveBake: divided(5 * minute, 50),
    retireBake: divided(30 * minute, 50),
    apiTransient: divided(15 * minute, atLeast.apiTransient),
    controlPlaneTimeout: divided(90 * minute, minute),
    rollbackWindow: divided(7 * 24 * hour, second),
    nodeGroupTimeout: divided(4 * hour, minute),
    addOnTimeout: divided(30 * minute, minute),
    askTimeout: divided(7 * 24 * hour, minute),
    driftTimeout: divided(24 * hour, minute),
    rolloutTimeout: divided(30 * minute, minute),
    // Elapsed times are wall time, so what they are compared with is, too.
    expected: {
      controlPlane: divided(10 * minute, second),
      nodeGroup: divided(10 * minute, second),
      karpenterNode: divided(40 * second, 50),
      addOn: divided(2 * minute, second),
      rollout: divided(2 * minute, second),
      istioWave: divided(3 * minute, second),
      checks: divided(2 * minute, second),
    },
  };
}
