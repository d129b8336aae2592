/**
 * Rights on the bucket of records, for the identity of worker, Slack process and command line themselves. None deletes, and none ends a lock. Actions:
 * docs.aws.amazon.com/AmazonS3/latest/API (each operation's "Permissions"); kms: docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html.
 */
import type { RecordsPlace } from '../config/sections/records.ts';
import { partitionOf, type Statement } from './iam-use.ts';

/** `read`: for the Slack process, and for whoever only looks. None where records are in a directory, or on a server that has rights of its own. */
export function recordsStatements(records: RecordsPlace, access: 'read' | 'write'): Statement[] {
  if (records.kind === 'directory' || records.endpoint !== undefined) return [];
  const { bucket, prefix, region, kmsKey, lock } = records;
  const arn = `arn:${partitionOf(region)}:s3:::${bucket}`;
  const objects = [`${arn}/${prefix}*`];
  const listing = lock === undefined ? ['s3:ListBucket'] : ['s3:ListBucket', 's3:ListBucketVersions'];
  const reading = lock === undefined ? ['s3:GetObject'] : ['s3:GetObject', 's3:GetObjectVersion', 's3:GetObjectRetention'];
  return [
    {
      Sid: 'BelayFindsRecords',
      Effect: 'Allow',
      Action: listing,
      Resource: [arn],
      ...(prefix === '' ? {} : { Condition: { StringLike: { 's3:prefix': [`${prefix}*`] } } }),
    },
    { Sid: 'BelayReadsRecords', Effect: 'Allow', Action: reading, Resource: objects },
    ...(access === 'read' ? [] : [{ Sid: 'BelayWritesRecords', Effect: 'Allow' as const, Action: ['s3:PutObject'], Resource: objects }]),
    ...(access === 'read' || lock === undefined
      ? []
      : [
          {
            Sid: 'BelayLocksAuditRecords',
            Effect: 'Allow' as const,
            Action: ['s3:PutObjectRetention'],
            Resource: [`${arn}/${prefix}audit/*`, `${arn}/${prefix}doctor-lock`],
          },
        ]),
    ...(kmsKey === undefined
      ? []
      : [
          {
            Sid: access === 'read' ? 'BelayDecryptsRecords' : 'BelayEncryptsRecords',
            Effect: 'Allow' as const,
            Action: access === 'read' ? ['kms:Decrypt'] : ['kms:GenerateDataKey', 'kms:Decrypt'],
            Resource: [kmsKey],
            Condition: { StringEquals: { 'kms:ViaService': `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}` } },
          },
        ]),
  ];
}
