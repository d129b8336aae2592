/** Files have no dates: what the SDK gives as a Date is one again. */
import type { SnapshotService } from '../../../../domain/facts/snapshot/format.ts';
import { isRecord } from '../../../../domain/core/unknown.ts';

/**
 * Members of type Date in the answers that Belay reads, by service: @aws-sdk/client-*, dist-types/models. Images have their dates as text
 * (EC2's CreationDate, DeprecationTime).
 */
const DATES: Readonly<Record<SnapshotService, ReadonlySet<string>>> = {
  eks: new Set([
    'activatedAt',
    'activationExpiry',
    'associatedAt',
    'createdAt',
    'effectiveDate',
    'endOfExtendedSupportDate',
    'endOfStandardSupportDate',
    'endedAt',
    'expirationDate',
    'finalAutoActivation',
    'firstAutoActivation',
    'lastRefreshTime',
    'lastRequestTime',
    'lastTransitionTime',
    'modifiedAt',
    'notAfter',
    'notBefore',
    'releaseDate',
    'startedAt',
  ]),
  ec2: new Set(['AttachTime', 'CreateTime', 'LaunchTime', 'UsageOperationUpdateTime', 'ValidUntil']),
  autoscaling: new Set(['CreatedTime', 'EndTime', 'RollbackStartTime', 'StartTime']),
  ssm: new Set(['LastModifiedDate']),
  'service-quotas': new Set(['Created', 'LastUpdated']),
  iam: new Set(['CreateDate', 'LastUsedDate', 'UpdateDate']),
  kms: new Set(['CreationDate', 'DeletionDate', 'ValidTo']),
};

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** Keys in these are people's. */
const PEOPLES: ReadonlySet<string> = new Set(['tags', 'labels']);

/** A copy with Dates. */
export function withDates(service: SnapshotService, output: Record<string, unknown>): Record<string, unknown> {
  const revived = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => revived(one, key));
    if (isRecord(value))
      return PEOPLES.has(key) ? value : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revived(inner, name)]));
    return typeof value === 'string' && DATES[service].has(key) && ISO.test(value) ? new Date(value) : value;
  };
  return Object.fromEntries(Object.entries(output).map(([name, value]) => [name, revived(value, name)]));
}
