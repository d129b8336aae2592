/** How events are delivered beside Slack: tried for as long as the run lives, and never waited for by a step. */
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { BelayActivities } from '../../activities/contract/belay-activities.ts';
import type { DeliveryKind } from '../../domain/policy/deliveries.ts';

type Proxies = Record<DeliveryKind, ReturnType<typeof proxyActivities<Pick<BelayActivities, 'deliverEvents'>>>>;

const DAY_MS = 86_400_000;
/** Longer than the activity's own limits for all of its events. */
const ATTEMPT = '90s';
/**
 * A mail has no key by which every receiver drops repeats: an attempt that ends without a word, as by a killed worker, may have sent it and is the last.
 * The type is the server's: temporalio/temporal, common/retrypolicy, TimeoutFailureTypePrefix.
 */
const LAST_IF_UNKNOWN = { nonRetryableErrorTypes: ['TemporalTimeout:StartToClose'] };

const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' } as const;
/** A cancelled attempt is waited for: then it is known whether it was sent. */
const running = { startToCloseTimeout: ATTEMPT, cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED } as const;
/** After the run's end: a receiver may be down for a long weekend. */
const late = { startToCloseTimeout: ATTEMPT, scheduleToCloseTimeout: 7 * DAY_MS } as const;

export const eventActivities: Proxies = {
  webhook: proxyActivities<BelayActivities>({ ...running, retry }),
  email: proxyActivities<BelayActivities>({ ...running, retry: { ...retry, ...LAST_IF_UNKNOWN } }),
};

export const lateEventActivities: Proxies = {
  webhook: proxyActivities<BelayActivities>({ ...late, retry }),
  email: proxyActivities<BelayActivities>({ ...late, retry: { ...retry, ...LAST_IF_UNKNOWN } }),
};
