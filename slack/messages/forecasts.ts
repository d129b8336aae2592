/** A forecast of an upgrade: while it is made, and what it came to. mrkdwn: what is given is escaped already. */
import { count } from '../../domain/core/text.ts';

/** Plain text. */
export const forecasting = (cluster: string, target: string): string =>
  `Taking a snapshot of ${cluster} and simulating the upgrade to ${target} on it. The forecast appears in this channel in a few minutes.`;

/** mrkdwn. `link`: to its message, once there is one. */
export const forecastRunsAlready = (of: { cluster: string; target: string; requestedBy: string; link?: string }): string =>
  `A forecast of ${of.cluster} for ${of.target} is already being made, requested by ${of.requestedBy}. ${of.link ?? 'No other was started.'}`;

export const forecastRunning = (cluster: string, target: string): string => `🔭 Simulating ${cluster} → ${target} on a snapshot`;

export const forecastNotMade = (cluster: string, target: string): string => `⚠ Could not make a forecast of ${cluster} → ${target}`;

export const forecastTitle = (cluster: string, from: string, to: string): string => `🔭 Forecast: ${cluster} ${from} → ${to}`;

/** `total`: "3 h 10 min (p90 4 h 5 min)". `nodes`: "45 (p90 47)". */
export const forecastHeadline = (of: { total: string; nodes: string; blockedCount: number; downCount: number }): string =>
  [
    `*${of.total}*, including assumed time for decisions`,
    `${of.nodes} ${of.nodes === '1' ? 'node' : 'nodes'} replaced`,
    of.blockedCount === 0 ? 'no node blocked' : `*${count(of.blockedCount, 'node')} will be blocked*`,
    of.downCount === 0 ? 'nothing goes down' : `*${count(of.downCount, 'workload')} will be down for a while*`,
  ].join(' · ');

export const willBlock = (): string => '*Blocks nodes*';

export const willBeDown = (): string => '*Down for a while*';

export const downFor = (workload: string, down: string): string => `${workload}: ${down} without a ready pod`;

export const willAsk = (): string => '*Gates that will open*';

/** `percent`: in how many of the simulations; absent: in all of them. */
export const asksAt = (title: string, percent?: number): string =>
  percent === undefined ? title : `${title} (in ${percent} % of the simulations)`;

export const nodesByOwner = (): string => '*Nodes*';

/** `owner`: "NodePool general". `replaced`: "42 (p90 44)". */
export const replacedOf = (owner: string, replaced: string): string => `${owner}: ${replaced} replaced`;

export const beside = (of: { nodes: string; vcpus: string; addresses: string; volumes: string }): string =>
  `At most ${of.nodes} extra ${of.nodes === '1' ? 'node' : 'nodes'} at a time, ${of.vcpus} vCPUs, ${of.addresses} IP addresses; ${of.volumes} ${of.volumes === '1' ? 'volume moves' : 'volumes move'}`;

export const shortOfAddresses = (zone: string, needed: number, free: number): string =>
  `⚠ ${zone}: ${count(needed, 'IP address')} needed, ${free} free`;

export const limitsOfForecast = (): string => '*What the forecast does not know*';

export const moreLines = (moreCount: number): string => `… and ${moreCount} more on the page`;

/** `snapshot`: "2026-03-03 12:00 UTC". `bases`: "lengths by source: measured in the snapshot 5, reports of other clusters 2". */
export const howForecastWasMade = (of: { runs: number; plan: string; strategy: string; snapshot: string; bases: string }): string =>
  `${count(of.runs, 'simulation')} of plan ${of.plan} (${of.strategy}) on a snapshot from ${of.snapshot}${of.bases === '' ? '' : `; ${of.bases}`}`;

export const pageAttached = (): string => 'The whole forecast is attached in the thread as a page';

/** `command`: as code. */
export const pageNotAttached = (why: string, command: string): string => `Could not attach the page: ${why}. Get it with ${command}`;

export const forecastNotKept = (why: string): string => `⚠ Could not save the forecast, so the plan's gate will not show it: ${why}`;
