/** EKS upgrade insights: refreshed first, then read for the hop's minor. What could not be refreshed or read is unknown, not passed. */
import {
  DescribeInsightCommand,
  DescribeInsightsRefreshCommand,
  type InsightSummary,
  paginateListInsights,
  StartInsightsRefreshCommand,
} from '@aws-sdk/client-eks';
import type { ClusterRef } from '../../domain/facts.ts';
import type { Finding } from '../../domain/findings.ts';
import type { Timing } from '../../domain/policy.ts';
import type { AwsClients } from '../clients/aws.ts';
import { currentSignal } from '../context.ts';
import { during, failureType, translateError } from '../translate-errors.ts';
import { waitUntil } from '../wait-until.ts';
import { type CheckCode, finding } from './catalogue.ts';

/** EKS says a refresh takes minutes. */
const REFRESH_TIMEOUT_MS = 10 * 60_000;
/** EKS refreshes every 24 hours by itself; older ones are not trusted where a refresh was not possible. */
const STALE_MS = 25 * 3_600_000;
/** Details are read of those that need a human; the rest is a name and a status. */
const DETAILED = 20;

export interface InsightReading {
  aws: AwsClients;
  ref: ClusterRef;
  timing: Timing;
}

export async function checkInsights(reading: InsightReading, to: string): Promise<Finding[]> {
  const refreshed = await refreshInsights(reading);
  let insights: InsightSummary[];
  try {
    insights = await listInsights(reading, to);
  } catch (error) {
    return [unknownFinding(error, 'Allow eks:ListInsights.')];
  }
  const findings: Finding[] = [freshness(refreshed, insights, reading.aws.eksDate())];
  for (const insight of insights) findings.push(await insightFinding(reading, insight, findings.length <= DETAILED));
  return findings;
}

/** undefined: done. Otherwise why it was not. */
export async function refreshInsights({ aws, ref, timing }: InsightReading): Promise<string | undefined> {
  try {
    await startRefresh(aws, ref);
    const end = await waitUntil<string | undefined>(
      { timing, timeoutMs: REFRESH_TIMEOUT_MS, doing: `waiting for the insights of ${ref.name}` },
      async () => {
        const command = new DescribeInsightsRefreshCommand({ clusterName: ref.name });
        const { status, message } = await aws.eks.send(command, { abortSignal: currentSignal() });
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

/** A refresh that runs already is as good as our own. */
async function startRefresh(aws: AwsClients, ref: ClusterRef): Promise<void> {
  try {
    await during(`refreshing the insights of ${ref.name}`, () =>
      aws.eks.send(new StartInsightsRefreshCommand({ clusterName: ref.name }), { abortSignal: currentSignal() }),
    );
  } catch (error) {
    const type = failureType(error);
    if (type !== 'ResourceInUse' && type !== 'InvalidRequest') throw error;
  }
}

async function listInsights({ aws, ref }: InsightReading, to: string): Promise<InsightSummary[]> {
  return during(`reading the insights of ${ref.name}`, async () => {
    const insights: InsightSummary[] = [];
    const pages = paginateListInsights(
      { client: aws.eks },
      { clusterName: ref.name, filter: { categories: ['UPGRADE_READINESS'], kubernetesVersions: [to] } },
      { abortSignal: currentSignal() },
    );
    for await (const page of pages) insights.push(...(page.insights ?? []));
    return insights;
  });
}

function freshness(notRefreshed: string | undefined, insights: readonly InsightSummary[], now: string | undefined): Finding {
  if (notRefreshed === undefined) return finding('EKS003', { status: 'pass', message: `${insights.length} insights were refreshed now.` });
  const nowMs = now === undefined ? Date.now() : Date.parse(now);
  const stale = insights.filter((insight) => nowMs - (insight.lastRefreshTime?.getTime() ?? 0) > STALE_MS);
  if (insights.length > 0 && stale.length === 0) {
    return finding('EKS003', { status: 'pass', message: `The insights are less than a day old (no refresh now: ${notRefreshed}).` });
  }
  return finding('EKS003', {
    status: 'unknown',
    message: `The insights could not be refreshed (${notRefreshed}) and ${insights.length === 0 ? 'none is there' : 'are older than a day'}.`,
    resources: stale.map((insight) => insight.name ?? insight.id ?? 'insight'),
    remediation: 'Allow eks:StartInsightsRefresh and eks:DescribeInsightsRefresh, or refresh them in the EKS console.',
  });
}

/** ERROR concerns this minor; WARNING a later one; UNKNOWN is what EKS itself cannot see. */
async function insightFinding(reading: InsightReading, insight: InsightSummary, detailed: boolean): Promise<Finding> {
  const name = insight.name ?? insight.id ?? 'insight';
  const status = insight.insightStatus?.status ?? 'UNKNOWN';
  const reason = insight.insightStatus?.reason ?? '';
  if (status === 'PASSING') return finding('EKS004', { status: 'pass', message: reason || 'EKS says PASSING.', titleSuffix: name });
  const detail = detailed && insight.id !== undefined ? await describeInsight(reading, insight.id) : { resources: [] };
  const code: CheckCode = status === 'WARNING' ? 'EKS005' : 'EKS004';
  return finding(code, {
    status: status === 'UNKNOWN' ? 'unknown' : 'fail',
    // The title of a warning says that it is one.
    message:
      status === 'WARNING' && reason !== ''
        ? reason.slice(0, 300)
        : `EKS says ${status}${reason === '' ? '' : `: ${reason.slice(0, 300)}`}`,
    resources: detail.resources,
    titleSuffix: name,
    ...(detail.recommendation === undefined ? {} : { remediation: detail.recommendation }),
  });
}

interface InsightDetail {
  resources: string[];
  recommendation?: string;
}

/** Who still calls what; without the permission the summary alone has to do. */
async function describeInsight({ aws, ref }: InsightReading, id: string): Promise<InsightDetail> {
  try {
    return await during(`reading insight ${id} of ${ref.name}`, async () => {
      const { insight } = await aws.eks.send(new DescribeInsightCommand({ clusterName: ref.name, id }), { abortSignal: currentSignal() });
      const named = (insight?.resources ?? []).flatMap((resource) => resource.kubernetesResourceUri ?? resource.arn ?? []);
      const usages = (insight?.categorySpecificSummary?.deprecationDetails ?? []).map((detail) => {
        const agents = (detail.clientStats ?? []).flatMap((client) => client.userAgent ?? []);
        return `${detail.usage ?? 'an API'}${agents.length === 0 ? '' : ` by ${agents.slice(0, 2).join(', ')}`}`;
      });
      return { resources: [...named, ...usages], recommendation: insight?.recommendation?.slice(0, 400) };
    });
  } catch (error) {
    if (failureType(error) === 'AccessDenied')
      return { resources: [], recommendation: 'Allow eks:DescribeInsight to see what is concerned.' };
    throw error;
  }
}

function unknownFinding(error: unknown, remediation: string): Finding {
  const failure = translateError(error, 'reading the insights');
  if (!failure.nonRetryable) throw failure;
  return finding('EKS003', { status: 'unknown', message: `The insights cannot be read: ${failure.message}.`, remediation });
}
