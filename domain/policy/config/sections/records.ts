/** `records:` in belay.yaml: a directory, or a bucket of S3 or of a server that speaks its API. */
import { z } from 'zod';
import { account, httpUrl, text } from '../base/fields.ts';

const RIGHT_PREFIX = 'write a prefix such as belay/prod: letters, digits, ".", "_", "-" and single "/"';
const RIGHT_DAYS = 'write a whole number of days from 1 to 36500';

/** Names: docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html. An access point has another ARN and other rights. */
const s3 = z
  .strictObject(
    {
      bucket: text(
        'write the name of a bucket: 3 to 63 lower-case letters, digits, "." and "-"',
        /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      ).describe('Bucket that exists'),
      prefix: text(RIGHT_PREFIX, /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[\w.-]+(\/[\w.-]+)*\/?$/)
        .describe('What keys begin with: one for each installation of Belay')
        .optional(),
      region: text('write an AWS region such as eu-west-1', /^[a-z0-9-]{2,32}$/).describe('Region of the bucket'),
      account: account.describe('Account that owns the bucket: requests to a bucket of anybody else fail').optional(),
      kmsKey: text(
        'write the ARN of a KMS key: arn:aws:kms:REGION:ACCOUNT:key/ID',
        /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]{1,128}$/,
      )
        .describe('KMS key to encrypt with')
        .optional(),
      endpoint: httpUrl('leave them out: requests are signed with AWS credentials')
        .describe('Address of a server other than S3; buckets are then part of the path')
        .optional(),
      profile: text('write the name of a profile of the shared AWS files', /^[\w.@+=, -]{1,64}$/)
        .describe('Profile of the shared AWS files, for the bucket alone')
        .optional(),
      lock: z
        .strictObject(
          {
            mode: z
              .enum(['compliance', 'governance'], { error: 'write compliance or governance' })
              .describe('compliance: nobody ends it; governance: who may s3:BypassGovernanceRetention does')
              .optional(),
            days: z
              .number({ error: RIGHT_DAYS })
              .int({ error: RIGHT_DAYS })
              .min(1, { error: RIGHT_DAYS })
              .max(36_500, { error: RIGHT_DAYS })
              .describe('Days for which nobody replaces or deletes a part of an audit record'),
          },
          { error: 'write days, and mode if it is not compliance' },
        )
        .describe('Object Lock for audit records: the bucket needs it switched on')
        .optional(),
    },
    { error: 'write at least bucket and region' },
  )
  .describe('For several workers, or records that nobody can alter');

export const recordsSchema = z
  .strictObject({
    directory: text('write the path of a directory').describe('Where runs write their records').optional(),
    s3: s3.optional(),
  })
  .refine(({ directory, s3: bucket }) => directory === undefined || bucket === undefined, {
    path: ['s3'],
    error: 'is set together with records.directory; write only one of them',
  });

/** Where records are kept. */
export type RecordsPlace =
  | { kind: 'directory'; directory: string }
  | {
      kind: 's3';
      bucket: string;
      /** Ends in "/", or is empty. */
      prefix: string;
      region: string;
      account?: string;
      kmsKey?: string;
      endpoint?: string;
      profile?: string;
      lock?: { mode: 'compliance' | 'governance'; days: number };
    };

export function recordsPlace(given: z.output<typeof recordsSchema> | undefined): RecordsPlace {
  if (given?.s3 === undefined) return { kind: 'directory', directory: given?.directory ?? 'records' };
  const { prefix = '', lock, ...rest } = given.s3;
  return {
    kind: 's3',
    ...rest,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    ...(lock === undefined ? {} : { lock: { mode: lock.mode ?? 'compliance', days: lock.days } }),
  };
}
