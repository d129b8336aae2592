/** Where a process shows its metrics, and which: BELAY_METRICS_ADDRESS and BELAY_METRICS_RUNS. */
import { defined } from '../../../domain/core/defined.ts';

export interface MetricsSettings {
  /** undefined: every address of the machine, IPv6 included where it has that. */
  host?: string;
  port: number;
  /** Runs, gates and records are the same for every process: one kind of them shows these, and of two that do either is right (`max`, never `sum`). */
  runs: boolean;
}

export type Component = 'worker' | 'slack';

/**
 * undefined: BELAY_METRICS_ADDRESS is not set, and no port is opened. Runs are shown by Slack processes, unless BELAY_METRICS_RUNS says otherwise. Throws a RangeError that names variable and fix.
 */
export function metricsSettings(env: NodeJS.ProcessEnv, component: Component): MetricsSettings | undefined {
  const address = env['BELAY_METRICS_ADDRESS'] || undefined;
  if (address === undefined) return undefined;
  const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:.]+)\]|([^:[\]\s]+))?:(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  if (!(port <= 65_535))
    throw new RangeError(`BELAY_METRICS_ADDRESS is "${address}"; set it to host:port, such as 127.0.0.1:9464, or :9464 for every address.`);
  return { ...defined({ host: bracketed ?? plain }), port, runs: showsRuns(env, component) };
}

/** Whether this process is the one that shows runs. Throws as above. */
export function showsRuns(env: NodeJS.ProcessEnv, component: Component): boolean {
  return yesOrNo(env['BELAY_METRICS_RUNS'] || undefined) ?? component === 'slack';
}

function yesOrNo(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (value !== 'yes' && value !== 'no') throw new RangeError(`BELAY_METRICS_RUNS is "${value}"; set it to yes or no.`);
  return value === 'yes';
}
