/** The looks before what nobody can take back (domain/policy/irreversible): in the activity that makes the change, right before its first request that does. */
import { alertsText, type AlertVerdict } from '../../domain/health/alerts.ts';
import { type Look, looksBefore, type Protection } from '../../domain/policy/irreversible.ts';
import type { WindowVerdict } from '../../domain/policy/windows.ts';
import type { BelayActivities } from '../contract/belay-activities.ts';
import type { FreezeState } from '../contract/karpenter.ts';
import { failureOf } from '../runtime/translate-errors.ts';
import type { ClusterRef } from '../../domain/core/cluster-ref.ts';
import { type Running, running } from '../runtime/before-change.ts';

export interface ProtectionDeps {
  freeze: Pick<BelayActivities, 'checkFreeze' | 'freezeDrift'>;
  /** Has an exclusion begun that stops the phase? Windows that close do not: a step that has begun goes on. */
  exclusion(cluster: ClusterRef, phase: NonNullable<Protection['exclusion']>): Promise<WindowVerdict>;
  alerts: BelayActivities['judgeAlerts'];
}

/** Every activity that needs looks makes them. What was frozen again goes along with its result, as `refrozen`. */
export function protectAll(activities: BelayActivities, deps: ProtectionDeps): BelayActivities {
  const entries = Object.entries(activities).map(([name, run]): [string, unknown] => {
    const looks = looksBefore(name);
    return [name, looks.length === 0 ? run : protectedBy(looks, name, run as Activity, deps)];
  });
  return Object.fromEntries(entries) as unknown as BelayActivities;
}

type Activity = (input: { cluster: ClusterRef; protect?: Protection }) => Promise<unknown>;

function protectedBy(looks: readonly Look[], name: string, run: Activity, deps: ProtectionDeps): Activity {
  return async (input) => {
    const { protect, cluster } = input;
    if (protect === undefined) return await run(input);
    const now: Running = {
      refrozen: [],
      look: async () => void (now.refrozen = await lookAll(looks, name, cluster, protect, deps)),
    };
    const result = await running.run(now, () => run(input));
    if (now.refrozen.length === 0) return result;
    return { ...(typeof result === 'object' && result !== null ? result : {}), refrozen: now.refrozen };
  };
}

async function lookAll(
  looks: readonly Look[],
  name: string,
  cluster: ClusterRef,
  { freeze, exclusion, alerts }: Protection,
  deps: ProtectionDeps,
): Promise<string[]> {
  if (looks.includes('exclusion') && exclusion !== undefined) refuseExclusion(name, await deps.exclusion(cluster, exclusion));
  if (looks.includes('alerts') && alerts !== undefined) refuseAlerts(name, await deps.alerts({ cluster, ...alerts }));
  // Last, since it is what others undo most quickly.
  return looks.includes('freeze') && freeze !== undefined ? await frozen(name, cluster, freeze, deps) : [];
}

/** Puts back what was reverted, and believes only another look. */
async function frozen(
  name: string,
  cluster: ClusterRef,
  freeze: NonNullable<Protection['freeze']>,
  { freeze: by }: ProtectionDeps,
): Promise<string[]> {
  const look = (): Promise<FreezeState> => by.checkFreeze({ cluster, nodes: '0', ...freeze });
  const before = await look();
  if (before.intact) return [];
  await by.freezeDrift({ cluster, ...freeze });
  const after = await look();
  if (after.intact) return before.reverted;
  throw failureOf(
    'NotProtected',
    `${name} on ${cluster.name} was not sent: the drift freeze does not hold on ${after.reverted.join(', ')} although Belay has put it back; stop whoever reverts it`,
  );
}

function refuseExclusion(name: string, verdict: WindowVerdict): void {
  if (verdict.kind === 'open') return;
  throw failureOf('NotProtected', `${name} was not sent: ${verdict.why}`);
}

function refuseAlerts(name: string, verdict: AlertVerdict): void {
  if (verdict.kind === 'quiet') return;
  const why = verdict.kind === 'firing' ? alertsText(verdict) : `whether alerts fire is not known: ${verdict.why}`;
  throw failureOf('NotProtected', `${name} was not sent: ${why}`);
}
