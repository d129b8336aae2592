/** How long Temporal keeps what has ended, beside what Belay still needs of it. */
import type { Config } from '../../domain/policy/config/config.ts';
import { policyOf } from '../../domain/policy/config/of-cluster.ts';
import { count } from '../../domain/core/text.ts';
import { ROLLBACK_WINDOW_MS } from '../../domain/facts/rollback-window.ts';
import type { Diagnosis } from './types.ts';

const DAY_MS = 86_400_000;
const ADVISED_DAYS = 90;

interface Need {
  days: number;
  /** "… is open for 7 days" */
  what: string;
}

/** The longest time after an upgrade's end in which somebody still goes by it. */
function longestNeed(config: Config, clusterNames: readonly string[]): Need {
  const window = ROLLBACK_WINDOW_MS / DAY_MS;
  const needs: Need[] = [{ days: window, what: `a control plane can be rolled back for ${count(window, 'day')}` }];
  for (const name of clusterNames) {
    const { after } = policyOf(config, name);
    if (after === undefined) continue;
    needs.push({ days: after.bakedDays, what: `${name} waits until ${after.environment} has baked for ${count(after.bakedDays, 'day')}` });
  }
  return needs.reduce((longest, need) => (need.days > longest.days ? need : longest));
}

/** `seconds`: of the namespace's configuration; undefined: the server did not say. */
export function examineRetention(
  config: Config,
  clusterNames: readonly string[],
  namespace: string,
  seconds: number | undefined,
): Diagnosis {
  const area = 'Temporal';
  const raise = `temporal operator namespace update --namespace ${namespace} --retention ${ADVISED_DAYS}d, or tcld namespace retention set --namespace ${namespace} --retention-days ${ADVISED_DAYS} on Temporal Cloud`;
  if (seconds === undefined || seconds <= 0) {
    const message = `the server does not say for how long namespace "${namespace}" keeps the history of runs that have ended`;
    return { area, status: 'unknown', message, fix: `ask an administrator; it is set by: ${raise}` };
  }
  const days = (seconds * 1000) / DAY_MS;
  const kept = `namespace "${namespace}" keeps the history of runs that have ended for ${Number.isInteger(days) ? count(days, 'day') : `${Math.round(days * 24)} h`}`;
  const { days: needed, what } = longestNeed(config, clusterNames);
  if (days >= needed) return { area, status: 'ok', message: kept };
  return { area, status: 'failed', message: `${kept}, but ${what}: by then nobody can read what was done and who approved it`, fix: raise };
}
