/** One bucket as records need it: objects read, listed, and written on a condition. What AWS answers becomes a failure that names object and right. */
import {
  GetObjectCommand,
  GetObjectRetentionCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { defined } from '../../../../domain/core/defined.ts';
import { field } from '../../../../domain/core/unknown.ts';
import { type BucketSettings, createS3Client } from '../../../clients/aws/s3.ts';
import type { WriteIf } from '../../../contract/records.ts';
import { currentSignal } from '../../../runtime/context.ts';
import { failureOf, failureType, translateError } from '../../../runtime/translate-errors.ts';

/** No record is nearly as large: what else lies there is not read into memory. */
const LARGEST_BYTES = 64 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;

export interface BucketObject {
  text: string;
  etag: string;
}

export interface Listed {
  key: string;
  bytes: number;
  etag: string;
}

export class Bucket {
  readonly #settings: BucketSettings;
  readonly #client: S3Client;

  constructor(settings: BucketSettings) {
    this.#settings = settings;
    this.#client = createS3Client(settings);
  }

  get where(): string {
    return this.locationOf('');
  }

  locationOf(key: string): string {
    return `s3://${this.#settings.bucket}/${this.#settings.prefix}${key}`;
  }

  /**
   * undefined: there is no such object. Without s3:ListBucket S3 answers 403 for that, too, which is no "there is none".
   * https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
   */
  async read(key: string, versionId?: string): Promise<BucketObject | undefined> {
    const input = { ...this.#at(key), ...defined({ VersionId: versionId }) };
    try {
      const found = await this.#client.send(new GetObjectCommand(input), { abortSignal: currentSignal() });
      return await this.#textOf(key, found);
    } catch (error) {
      if (field(error, 'name') === 'NoSuchKey') return undefined;
      throw this.#failure('reading', key, error, 's3:GetObject and, on the bucket, s3:ListBucket');
    }
  }

  async #textOf(key: string, found: GetObjectCommandOutput): Promise<BucketObject> {
    const { Body, ETag, ContentLength = 0 } = found;
    if (Body === undefined || ETag === undefined) throw failureOf('Unavailable', `reading ${this.locationOf(key)}: the answer is empty`);
    if (ContentLength > LARGEST_BYTES)
      throw failureOf('InvalidRequest', `reading ${this.locationOf(key)}: it has ${ContentLength} bytes, and no record is so large`);
    return { text: await Body.transformToString('utf8'), etag: ETag };
  }

  /**
   * 412: the condition does not hold; 409: somebody writes at the same time; 404 with If-Match: it was deleted. All three are a `Conflict`: look again.
   * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
   * `lockMs`: see `lock`, for so long.
   */
  async write(key: string, text: string, { onlyIf, lockMs }: { onlyIf?: WriteIf; lockMs?: number } = {}): Promise<{ etag: string }> {
    const { kmsKey } = this.#settings;
    const command = new PutObjectCommand({
      ...this.#at(key),
      Body: text,
      ContentType: 'application/json',
      ...(onlyIf === undefined ? {} : onlyIf === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: onlyIf.stamp }),
      ...(kmsKey === undefined ? {} : { ServerSideEncryption: 'aws:kms' as const, SSEKMSKeyId: kmsKey }),
      ...this.#retention(lockMs),
    });
    try {
      const { ETag } = await this.#client.send(command, { abortSignal: currentSignal() });
      if (ETag === undefined) throw failureOf('Unavailable', `writing ${this.locationOf(key)}: the answer names no ETag`);
      return { etag: ETag };
    } catch (error) {
      if (onlyIf !== undefined && isRefusedCondition(error))
        throw failureOf('Conflict', `writing ${this.locationOf(key)}: somebody else wrote it meanwhile`, { cause: error });
      throw this.#failure('writing', key, error, lockMs === undefined ? 's3:PutObject' : 's3:PutObject and s3:PutObjectRetention');
    }
  }

  /** Nobody replaces or deletes this version before then; undefined: it is not locked. GetObject tells the same, but not who may not know. */
  async lockedUntil(key: string, versionId?: string): Promise<Date | undefined> {
    const input = { ...this.#at(key), ...defined({ VersionId: versionId }) };
    try {
      const { Retention } = await this.#client.send(new GetObjectRetentionCommand(input), { abortSignal: currentSignal() });
      return Retention?.Mode === undefined ? undefined : Retention.RetainUntilDate;
    } catch (error) {
      if (field(error, 'name') === 'NoSuchObjectLockConfiguration') return undefined;
      throw this.#failure('reading the lock of', key, error, 's3:GetObjectRetention');
    }
  }

  /** What an audit record is made of stays for the time of belay.yaml. */
  get lockMs(): number | undefined {
    const { lock } = this.#settings;
    return lock === undefined ? undefined : lock.days * DAY_MS;
  }

  /** Objects whose keys begin so, and the folders right below, in order; neither what is in these folders. */
  async list(prefix: string): Promise<{ objects: Listed[]; folders: string[] }> {
    const { bucket: Bucket, prefix: root } = this.#settings;
    const found: { objects: Listed[]; folders: string[] } = { objects: [], folders: [] };
    const below = (key: string | undefined): string => (key ?? '').slice(root.length);
    let token: string | undefined;
    try {
      do {
        const query = { Bucket, ...this.#owner(), Prefix: root + prefix, Delimiter: '/', ...defined({ ContinuationToken: token }) };
        const page = await this.#client.send(new ListObjectsV2Command(query), { abortSignal: currentSignal() });
        found.objects.push(...(page.Contents ?? []).map(({ Key, Size = 0, ETag = '' }) => ({ key: below(Key), bytes: Size, etag: ETag })));
        found.folders.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => below(Prefix)));
        // A server that says there is more and not where would be asked for ever.
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
        if (page.IsTruncated === true && token === undefined)
          throw failureOf('Unavailable', `listing ${this.locationOf(prefix)}: the answer is cut off`);
      } while (token !== undefined);
      return found;
    } catch (error) {
      throw this.#failure('listing', prefix, error, 's3:ListBucket');
    }
  }

  /** Of each object below, those that are deleted included: its first version, and whether that is what everybody reads. */
  async versions(prefix: string): Promise<Map<string, { first: string; isReplaced: boolean }>> {
    const { bucket: Bucket, prefix: root } = this.#settings;
    const found = new Map<string, { first: string; isReplaced: boolean }>();
    let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
    try {
      while (next !== undefined) {
        const query = { Bucket, ...this.#owner(), Prefix: root + prefix, ...next };
        const page: ListObjectVersionsCommandOutput = await this.#client.send(new ListObjectVersionsCommand(query), {
          abortSignal: currentSignal(),
        });
        const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page;
        // The newest of each key comes first.
        for (const { Key = '', VersionId: first, IsLatest } of Versions)
          if (first !== undefined) found.set(Key.slice(root.length), { first, isReplaced: IsLatest !== true });
        for (const { Key = '' } of DeleteMarkers) {
          const of = found.get(Key.slice(root.length));
          if (of !== undefined) of.isReplaced = true;
        }
        if (IsTruncated === true && NextKeyMarker === undefined)
          throw failureOf('Unavailable', `listing the versions of ${this.locationOf(prefix)}: the answer is cut off`);
        next = IsTruncated === true ? defined({ KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker }) : undefined;
      }
      return found;
    } catch (error) {
      throw this.#failure('listing the versions of', prefix, error, 's3:ListBucketVersions');
    }
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string) {
    const { bucket: Bucket, prefix } = this.#settings;
    return { Bucket, Key: prefix + key, ...this.#owner() };
  }

  #owner(): { ExpectedBucketOwner?: string } {
    const { account } = this.#settings;
    return account === undefined ? {} : { ExpectedBucketOwner: account };
  }

  #retention(lockMs: number | undefined) {
    const { lock } = this.#settings;
    if (lock === undefined || lockMs === undefined) return {};
    return {
      ObjectLockMode: lock.mode === 'compliance' ? ('COMPLIANCE' as const) : ('GOVERNANCE' as const),
      ObjectLockRetainUntilDate: new Date(Date.now() + lockMs),
    };
  }

  #failure(doing: string, key: string, error: unknown, right: string): Error {
    const failure = translateError(error, `${doing} ${this.locationOf(key)}`);
    if (failure === error || failureType(failure) !== 'AccessDenied' || field(error, 'name') !== 'AccessDenied') return failure;
    const { kmsKey } = this.#settings;
    const alsoKey = kmsKey === undefined ? '' : `, and the KMS key`;
    return failureOf('AccessDenied', `${failure.message}: ${right}${alsoKey}; "belay permissions" prints the policy`, { cause: error });
  }
}

/** By name where the server speaks as S3 does, else by status. */
function isRefusedCondition(error: unknown): boolean {
  const status = field(field(error, '$metadata'), 'httpStatusCode');
  const name = field(error, 'name');
  return status === 412 || name === 'ConditionalRequestConflict' || name === 'NoSuchKey';
}
