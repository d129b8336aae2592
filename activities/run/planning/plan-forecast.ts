/** The newest forecast of a cluster, for who plans its upgrade. Nothing waits for it: what cannot be read is said in a line. */
import type { PlanForecast } from '../../../domain/plan/forecast/quoted.ts';
import type { UpgradePlan } from '../../../domain/plan/model/types.ts';
import { quoteForecast } from '../../../domain/run/forecasts/quote.ts';
import { messageOf } from '../../../domain/core/unknown.ts';
import type { RecordStore } from '../../contract/records.ts';
import { readForecast } from '../records/forecasts.ts';

/** It goes into a history, and onto a phone. */
const WHY = 200;

/** undefined: none was made for that target. Never throws. `now`: ISO 8601. */
export async function readPlanForecast(
  store: Pick<RecordStore, 'read'>,
  plan: UpgradePlan,
  now: string,
): Promise<PlanForecast | undefined> {
  try {
    const stored = await readForecast(store, plan.cluster);
    return stored === undefined ? undefined : quoteForecast(stored, plan, now);
  } catch (error) {
    return { kind: 'unread', why: messageOf(error).slice(0, WHY) };
  }
}
