/** The forecast that people ask for in Slack. The whole of it never enters Temporal's history: it goes from here straight into the thread. */
import { defined } from '../../../domain/core/defined.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { Forecast } from '../../../domain/plan/forecast/types.ts';
import type { MessageRef } from '../../../domain/run/notifications.ts';
import { storedForecast } from '../../../domain/run/forecasts/stored.ts';
import { summarizeForecast } from '../../../domain/run/forecasts/summary.ts';
import type { ForecastActivities, Forecaster } from '../../contract/forecast.ts';
import type { Notifier } from '../../contract/ports.ts';
import type { RecordStore } from '../../contract/records.ts';
import { beat, currentSignal } from '../../runtime/context.ts';
import { heartbeating } from '../../runtime/heartbeating.ts';
import { saveForecast } from '../records/forecasts.ts';

const WHY = 300;

export interface ForecastDeps {
  forecaster: Forecaster;
  store: Pick<RecordStore, 'read' | 'write'>;
  /** The forecast as a file of its own. */
  renderForecast: (forecast: Forecast) => string;
  /** undefined: no Slack. */
  notifier?: Pick<Notifier, 'attach'>;
}

export function createForecastActivities(deps: ForecastDeps): ForecastActivities {
  return {
    async forecastUpgrade({ cluster, target, strategy, thread }) {
      let doing = `taking a snapshot of ${cluster.name}`;
      const onProgress = (now: string): void => {
        doing = now;
        beat({ kind: 'working', doing });
      };
      const request = { target, signal: currentSignal(), onProgress, ...defined({ strategy }) };
      const made = await heartbeating(
        () => doing,
        () => deps.forecaster.forecast(cluster, request),
      );
      if (made.kind === 'refused') return made;
      const notKept = await orWhy(() => saveForecast(deps.store, storedForecast(made.forecast)));
      const notAttached = await attach(deps, made.forecast, thread);
      return { kind: 'made', summary: summarizeForecast(made.forecast), ...defined({ notKept, notAttached }) };
    },
  };
}

/** Why the page is not in the thread; undefined: it is. */
async function attach({ notifier, renderForecast }: ForecastDeps, forecast: Forecast, thread?: MessageRef): Promise<string | undefined> {
  if (notifier === undefined || thread === undefined) return 'no Slack is set up';
  const { cluster, from, to } = forecast;
  return await orWhy(() =>
    notifier.attach({
      thread,
      fileName: `${cluster.name}-${to}-forecast.html`,
      title: `Forecast of ${cluster.name}, ${from} → ${to}`,
      content: renderForecast(forecast),
    }),
  );
}

/** What cannot be kept or shown is said: a forecast without it is better than none. */
async function orWhy(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return messageOf(error).slice(0, WHY);
  }
}
