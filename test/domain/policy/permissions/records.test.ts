/** Rights on the bucket of records: none that belay.yaml does not need, and none that deletes. */
import { expect, test } from 'vitest';
import type { RecordsPlace } from '../../../../domain/policy/config/sections/records.ts';
import { recordsStatements } from '../../../../domain/policy/permissions/records.ts';

const PLAIN: RecordsPlace = { kind: 's3', bucket: 'example-records', prefix: '', region: 'eu-west-1' };
const allow = { Effect: 'Allow' };
const BUCKET = 'arn:aws:s3:::example-records';

test('none for a directory, or for a server that has rights of its own', () => {
  expect(recordsStatements({ kind: 'directory', directory: 'records' }, 'write')).toEqual([]);
  expect(recordsStatements({ ...PLAIN, endpoint: 'https://minio.example' }, 'read')).toEqual([]);
});

test('a whole bucket is found, read and written', () => {
  expect(recordsStatements(PLAIN, 'write')).toEqual([
    { Sid: 'BelayFindsRecords', ...allow, Action: ['s3:ListBucket'], Resource: [BUCKET] },
    { Sid: 'BelayReadsRecords', ...allow, Action: ['s3:GetObject'], Resource: [`${BUCKET}/*`] },
    { Sid: 'BelayWritesRecords', ...allow, Action: ['s3:PutObject'], Resource: [`${BUCKET}/*`] },
  ]);
});

test('RS12: prefix, key and lock narrow and add what they need; nothing deletes, ends a lock, or changes the bucket', () => {
  const kmsKey = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd';
  const statements = recordsStatements({ ...PLAIN, prefix: 'belay/prod/', kmsKey, lock: { mode: 'compliance', days: 400 } }, 'write');
  const objects = [`${BUCKET}/belay/prod/*`];
  expect(statements).toEqual([
    {
      Sid: 'BelayFindsRecords',
      ...allow,
      Action: ['s3:ListBucket', 's3:ListBucketVersions'],
      Resource: [BUCKET],
      Condition: { StringLike: { 's3:prefix': ['belay/prod/*'] } },
    },
    { Sid: 'BelayReadsRecords', ...allow, Action: ['s3:GetObject', 's3:GetObjectVersion', 's3:GetObjectRetention'], Resource: objects },
    { Sid: 'BelayWritesRecords', ...allow, Action: ['s3:PutObject'], Resource: objects },
    {
      Sid: 'BelayLocksAuditRecords',
      ...allow,
      Action: ['s3:PutObjectRetention'],
      Resource: [`${BUCKET}/belay/prod/audit/*`, `${BUCKET}/belay/prod/doctor-lock`],
    },
    {
      Sid: 'BelayEncryptsRecords',
      ...allow,
      Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
      Resource: [kmsKey],
      Condition: { StringEquals: { 'kms:ViaService': 's3.eu-west-1.amazonaws.com' } },
    },
  ]);
  const actions = statements.flatMap(({ Action }) => Action);
  expect(actions.filter((action) => /Delete|Bypass|Acl|PutBucket|\*/.test(action))).toEqual([]);
});

test('who only reads records can neither write nor lock one', () => {
  const kmsKey = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd';
  const statements = recordsStatements({ ...PLAIN, kmsKey, lock: { mode: 'compliance', days: 400 } }, 'read');
  expect(statements.map(({ Sid, Action }) => [Sid, Action])).toEqual([
    ['BelayFindsRecords', ['s3:ListBucket', 's3:ListBucketVersions']],
    ['BelayReadsRecords', ['s3:GetObject', 's3:GetObjectVersion', 's3:GetObjectRetention']],
    ['BelayDecryptsRecords', ['kms:Decrypt']],
  ]);
});

test('another partition has other names', () => {
  const [found] = recordsStatements({ ...PLAIN, region: 'cn-north-1' }, 'write');
  expect(found?.Resource).toEqual(['arn:aws-cn:s3:::example-records']);
});
