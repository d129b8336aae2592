/** Wire shapes of EKS insights. */
import { seconds } from '../render.ts';
import type { EksInsight } from '../state.ts';

export function renderInsightSummary(insight: EksInsight): Record<string, unknown> {
  return {
    id: insight.id,
    name: insight.name,
    category: insight.category,
    kubernetesVersion: insight.kubernetesVersion,
    lastRefreshTime: seconds(insight.lastRefreshMs),
    lastTransitionTime: seconds(insight.lastTransitionMs ?? insight.lastRefreshMs),
    description: insight.recommendation,
    insightStatus: { status: insight.status, reason: insight.reason },
  };
}

export function renderInsight(insight: EksInsight): Record<string, unknown> {
  return {
    ...renderInsightSummary(insight),
    recommendation: insight.recommendation,
    additionalInfo: {},
    resources: (insight.resources ?? []).map((r) => ({
      insightStatus: { status: r.status },
      kubernetesResourceUri: r.kubernetesResourceUri,
      arn: r.arn,
    })),
    categorySpecificSummary: {
      deprecationDetails: (insight.deprecations ?? []).map(({ clientStats, ...detail }) => ({
        ...detail,
        clientStats: clientStats.map(({ userAgent, requests, lastRequestMs }) => ({
          userAgent,
          numberOfRequestsLast30Days: requests,
          lastRequestTime: seconds(lastRequestMs),
        })),
      })),
      addonCompatibilityDetails: insight.addOnCompatibility ?? [],
    },
  };
}
