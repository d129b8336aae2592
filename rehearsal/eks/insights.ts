/** EKS upgrade insights: refresh, list, describe. What they say is computed by controllers/insights.ts. */
import type { World } from '../world/world.ts';
import { type Call, invalidParameter, notFound, page, text } from './http.ts';
import { renderInsight } from './render.ts';
import { requireCluster } from './updates.ts';

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

function strings(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
}

export function listInsights(world: World, { path, body }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  const filter = typeof body.filter === 'object' && body.filter !== null ? Object.fromEntries(Object.entries(body.filter)) : {};
  const categories = strings(filter.categories);
  const versions = strings(filter.kubernetesVersions);
  const statuses = strings(filter.statuses);
  const found = world.eks.insights.filter(
    (i) =>
      (categories === undefined || categories.includes(i.category)) &&
      (versions === undefined || versions.includes(i.kubernetesVersion)) &&
      (statuses === undefined || statuses.includes(i.status)),
  );
  const { items, nextToken } = page(found, body.maxResults, text(body, 'nextToken'));
  return { insights: items.map(renderInsight), nextToken };
}

export function describeInsight(world: World, { path }: Call): Record<string, unknown> {
  requireCluster(world, path[0]);
  if (!/^[0-9a-f-]{36}$/.test(path[1] ?? '')) throw invalidParameter(`Insight id ${path[1]} is not a UUID.`);
  const insight = world.eks.insights.find((i) => i.id === path[1]);
  if (insight === undefined) throw notFound(`No insight found for id: ${path[1]}`, { clusterName: path[0] });
  return {
    insight: {
      ...renderInsight(insight),
      recommendation: insight.recommendation,
      additionalInfo: {},
      resources: (insight.resources ?? []).map((r) => ({
        insightStatus: { status: r.status },
        kubernetesResourceUri: r.kubernetesResourceUri,
        arn: r.arn,
      })),
      categorySpecificSummary: { deprecationDetails: [], addonCompatibilityDetails: insight.addOnCompatibility ?? [] },
    },
  };
}
