/** EKS insights on upgrades and rollbacks: refresh, list, describe. What they say is computed by controllers/insights.ts. */
import type { World } from '../../../world/world.ts';
import { invalidParameter, notFound } from '../errors.ts';
import { type Call, page, strings, structure, text } from '../http.ts';
import { renderInsight, renderInsightSummary } from './render-insight.ts';
import { requireCluster } from '../updates.ts';

/** Refreshing again while one runs answers with the running one. It changes nothing of the cluster, so it is no mutation. */
export function startInsightsRefresh(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const nowMs = world.clock.nowMs();
  const running = world.eks.insightsRefresh;
  if (running === undefined || running.endsMs <= nowMs) {
    world.eks.insightsRefresh = { startedMs: nowMs, endsMs: nowMs + world.tempo.insightsRefreshMs };
  }
  return { message: 'Insights refresh is in progress', status: 'IN_PROGRESS' };
}

export function describeInsightsRefresh(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const refresh = world.eks.insightsRefresh;
  if (refresh === undefined) return { message: 'No insights refresh was requested', status: 'COMPLETED' };
  const computed = world.eks.insights.some((i) => i.lastRefreshMs >= refresh.endsMs);
  const startedAt = refresh.startedMs / 1000;
  return computed
    ? { message: 'Insights refresh completed', status: 'COMPLETED', startedAt, endedAt: refresh.endsMs / 1000 }
    : { message: 'Insights refresh is in progress', status: 'IN_PROGRESS', startedAt };
}

/** Values of the filter's members, as the service model has them. */
const FILTERS: Record<string, readonly string[]> = {
  categories: ['UPGRADE_READINESS', 'MISCONFIGURATION', 'ROLLBACK_READINESS'],
  statuses: ['PASSING', 'WARNING', 'ERROR', 'UNKNOWN'],
};

function wanted(filter: Record<string, unknown>, member: string): string[] | undefined {
  const values = strings(filter, member);
  const unknown = values?.find((value) => FILTERS[member]?.includes(value) === false);
  if (unknown !== undefined) throw invalidParameter(`${unknown} is not a valid value of ${member}.`);
  return values === undefined || values.length === 0 ? undefined : values;
}

export function listInsights(world: World, { path, body }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const filter = structure(body, 'filter') ?? {};
  const categories = wanted(filter, 'categories');
  const versions = wanted(filter, 'kubernetesVersions');
  const statuses = wanted(filter, 'statuses');
  const found = world.eks.insights.filter(
    (i) =>
      (categories === undefined || categories.includes(i.category)) &&
      (versions === undefined || versions.includes(i.kubernetesVersion ?? '')) &&
      (statuses === undefined || statuses.includes(i.status)),
  );
  const { items, nextToken } = page(found, body.maxResults, text(body, 'nextToken'));
  return { insights: items.map(renderInsightSummary), nextToken };
}

export function describeInsight(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  if (!/^[0-9a-f-]{36}$/.test(path[1] ?? '')) throw invalidParameter(`Insight id ${path[1]} is not a UUID.`);
  const insight = world.eks.insights.find((i) => i.id === path[1]);
  if (insight === undefined) throw notFound(`No insight found for id: ${path[1]}`, { clusterName: path[0] });
  return { insight: renderInsight(insight) };
}
