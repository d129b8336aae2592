/** Starts a forecast, one per cluster at a time. */
import type { Client } from '@temporalio/client';
import { forecastWorkflowId } from '../../workflows/contract/ids.ts';
import { type ForecastInput, WORKFLOWS } from '../../workflows/contract/messages.ts';
import type { ForecastRequest, StartedCheck, UpgradesSettings } from '../calls/contract.ts';
import { forecastFailed } from '../calls/messages.ts';
import { prepare } from './prepare-request.ts';
import { startTold } from './start-told.ts';

/** A snapshot and plays of a large cluster, with a second attempt. */
const FORECAST_LIMIT_MS = 2 * 60 * 60_000;

export async function startForecast(client: Client, settings: UpgradesSettings, request: ForecastRequest): Promise<StartedCheck> {
  const prepared = prepare(settings, request);
  const { cluster, target, strategy, requestedBy } = prepared.input;
  return await startTold<ForecastInput>(client, settings, prepared, {
    workflowId: forecastWorkflowId(cluster),
    type: WORKFLOWS.forecast,
    args: { cluster, target, strategy, requestedBy, channel: request.channel },
    limitMs: FORECAST_LIMIT_MS,
    summary: `Forecast the upgrade of ${cluster.name} to ${target}`,
    does: 'Takes a snapshot of the cluster, plays the upgrade on it many times, and tells in Slack what it is going to do. Changes nothing.',
    failed: forecastFailed,
  });
}
