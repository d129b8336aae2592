/** Insights of all categories, refreshed first; those that do not pass with their details. */
import {
  DescribeInsightCommand,
  DescribeInsightsRefreshCommand,
  type Insight as EksInsight,
  paginateListInsights,
  StartInsightsRefreshCommand,
} from '@aws-sdk/client-eks';
import type { Insight, Shape } from '../../../../domain/readiness/model/evidence.ts';
import { messageOf } from '../../../../domain/core/unknown.ts';
import { permissionNamedIn } from '../../../../domain/readiness/model/sources.ts';
import type { AwsClients } from '../../../clients/aws/clients.ts';
import type { Timing } from '../../../../domain/policy/policy.ts';
import { currentSignal } from '../../../runtime/context.ts';
import { during, failureOf, failureType, translateError } from '../../../runtime/translate-errors.ts';
import { waitUntil } from '../../../runtime/wait-until.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import { given } from '../../../runtime/given.ts';

export interface InsightsReading {
  aws: AwsClients;
  ref: ClusterRef;
  timing: Timing;
}

/** EKS says a refresh takes minutes. */
const REFRESH_TIMEOUT_MS = 10 * 60_000;
/** EKS refreshes every 24 hours by itself; older ones are not trusted. */
const STALE_MS = 25 * 3_600_000;

/** Throws where they could not be refreshed and none is there or one is older than a day: they would speak of another cluster. */
export async function readAllInsights(reading: InsightsReading): Promise<Shape<'insights'>> {
  const { aws, ref } = reading;
  const notRefreshed = await refreshInsights(reading);
  const insights: Insight[] = [];
  let oldestMs = Number.POSITIVE_INFINITY;
  for await (const page of paginateListInsights({ client: aws.eks }, { clusterName: ref.name }, { abortSignal: currentSignal() })) {
    for (const summary of page.insights ?? []) {
      oldestMs = Math.min(oldestMs, summary.lastRefreshTime?.getTime() ?? 0);
      const passes = summary.insightStatus?.status === 'PASSING' || summary.id === undefined;
      insights.push(insightSeen(passes ? summary : await describe(reading, summary.id ?? '')));
    }
  }
  const nowMs = Date.parse(aws.eksDate() ?? new Date().toISOString());
  if (notRefreshed !== undefined && (insights.length === 0 || nowMs - oldestMs > STALE_MS)) {
    const lack = insights.length === 0 ? 'there is none' : 'they are older than a day';
    // Not transient: another attempt would wait for nothing.
    const type = permissionNamedIn(notRefreshed) === undefined ? 'InvalidRequest' : 'AccessDenied';
    throw failureOf(type, `reading the insights of ${ref.name}: ${lack}, and ${notRefreshed}`);
  }
  return { refreshedAt: new Date(Number.isFinite(oldestMs) ? oldestMs : nowMs).toISOString(), insights };
}

/** undefined: done. Otherwise why it was not. */
async function refreshInsights({ aws, ref, timing }: InsightsReading): Promise<string | undefined> {
  try {
    const refused = await startRefresh(aws, ref);
    const end = await waitUntil<string | undefined>(
      { timing, timeoutMs: REFRESH_TIMEOUT_MS, doing: `waiting for the insights of ${ref.name}` },
      async () => {
        const command = new DescribeInsightsRefreshCommand({ clusterName: ref.name });
        const { status, message, endedAt } = await aws.eks.send(command, { abortSignal: currentSignal() });
        if (status === 'IN_PROGRESS') return { done: false, note: status };
        // EKS describes the latest refresh, however long ago that was.
        if (refused !== undefined && (endedAt?.getTime() ?? 0) < refused.atMs) return { done: true, value: refused.why };
        if (status === 'COMPLETED') return { done: true, value: undefined };
        if (status === 'FAILED') return { done: true, value: `EKS could not refresh them (${message ?? 'no reason given'})` };
        return { done: false, note: status };
      },
    );
    return end.kind === 'done' ? end.value : 'the refresh did not end within ten minutes';
  } catch (error) {
    const failure = translateError(error, `refreshing the insights of ${ref.name}`);
    // Anything retryable is for Temporal to try again.
    if (!failure.nonRetryable) throw failure;
    return failure.message;
  }
}

/** undefined: started. Otherwise why and when EKS did not: a refresh that runs already, which is as good as our own, or the state of the cluster. */
async function startRefresh(aws: AwsClients, ref: ClusterRef): Promise<{ why: string; atMs: number } | undefined> {
  try {
    await during(`refreshing the insights of ${ref.name}`, () =>
      aws.eks.send(new StartInsightsRefreshCommand({ clusterName: ref.name }), { abortSignal: currentSignal() }),
    );
    return undefined;
  } catch (error) {
    const type = failureType(error);
    if (type !== 'ResourceInUse' && type !== 'InvalidRequest') throw error;
    return { why: messageOf(error), atMs: Date.parse(aws.eksDate() ?? new Date().toISOString()) };
  }
}

async function describe({ aws, ref }: InsightsReading, id: string): Promise<EksInsight> {
  const { insight } = await aws.eks.send(new DescribeInsightCommand({ clusterName: ref.name, id }), { abortSignal: currentSignal() });
  return insight ?? { id };
}

function insightSeen(insight: EksInsight): Insight {
  const details = insight.categorySpecificSummary?.deprecationDetails ?? [];
  return {
    name: insight.name ?? insight.id ?? 'insight',
    category: insight.category ?? 'UPGRADE_READINESS',
    status: insight.insightStatus?.status ?? 'UNKNOWN',
    resources: (insight.resources ?? []).flatMap(({ kubernetesResourceUri, arn }) => kubernetesResourceUri ?? arn ?? []),
    deprecations: details.map(({ usage = 'an API', replacedWith, stopServingVersion, clientStats = [] }) => ({
      usage,
      clients: clientStats.map(({ userAgent = 'unknown', numberOfRequestsLast30Days = 0, lastRequestTime }) => ({
        userAgent,
        requests30Days: numberOfRequestsLast30Days,
        ...given('lastRequest', lastRequestTime?.toISOString()),
      })),
      ...given('replacedWith', replacedWith),
      ...given('stopServingVersion', stopServingVersion),
    })),
    ...given('addOns', addOnsOf(insight)),
    ...given('reason', insight.insightStatus?.reason),
    ...given('kubernetesVersion', insight.kubernetesVersion),
    ...given('recommendation', insight.recommendation),
  };
}

/**
 * What of `addonCompatibilityDetails` does not fit: those that the reason names, where it names any. Whether EKS lists fitting add-ons there, too, its
 * documentation does not say: https://docs.aws.amazon.com/eks/latest/APIReference/API_AddonCompatibilityDetail.html
 */
function addOnsOf({ categorySpecificSummary, insightStatus }: EksInsight): string[] | undefined {
  const listed = (categorySpecificSummary?.addonCompatibilityDetails ?? []).flatMap(({ name }) => name ?? []);
  const words = new Set((insightStatus?.reason ?? '').split(/[\s,;:]+/).map((word) => word.replace(/\.$/, '')));
  const named = listed.filter((name) => words.has(name));
  const concerned = named.length > 0 ? named : listed;
  return concerned.length === 0 ? undefined : concerned;
}
