/** What is looked at right before something that cannot be undone: the freeze, exclusions, alerts. */
import { stoppedByAlerts } from '../../../domain/health/alerts.ts';
import type { Protection } from '../../../domain/policy/irreversible.ts';
import type { PhaseInput } from '../../contract/phase.ts';
import { defined } from '../../../domain/core/defined.ts';

export function protectionOf({ policy, step, freezeGuard, freezeMeans, freezePools, windowWaived, alertsWaived }: PhaseInput): Protection {
  const { windows, health, karpenter } = policy;
  return {
    ...(freezeGuard === undefined
      ? {}
      : { freeze: { guard: freezeGuard, reasons: karpenter.freezeReasons, ...defined({ means: freezeMeans, onlyPools: freezePools }) } }),
    ...(windows === undefined || windowWaived === true ? {} : { exclusion: step.phase }),
    ...(health?.alerts === 'block' && stoppedByAlerts(step.phase) && alertsWaived !== true
      ? { alerts: { ignore: health.ignoreAlerts } }
      : {}),
  };
}
