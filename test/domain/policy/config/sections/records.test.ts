/** `records:` of belay.yaml: one place, and errors that name field, value and fix. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../../worker/config/config.ts';

const parse = (records: string) =>
  parseConfig(`records: ${records}\nclusters: { prod: { region: eu-west-1, account: "111122223333" } }`, 'belay.yaml').records;

test('a directory beside the file, unless it says otherwise', () => {
  expect(parseConfig('clusters: { prod: { region: eu-west-1, account: "111122223333" } }', 'belay.yaml').records).toEqual({
    kind: 'directory',
    directory: 'records',
  });
  expect(parse('{ directory: /srv/records }')).toEqual({ kind: 'directory', directory: '/srv/records' });
});

test('a bucket; a prefix is a folder, and a lock cannot be ended unless it says so', () => {
  expect(parse('{ s3: { bucket: example-records, region: eu-west-1 } }')).toEqual({
    kind: 's3',
    bucket: 'example-records',
    prefix: '',
    region: 'eu-west-1',
  });
  const kmsKey = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  const all = `{ bucket: example-records, prefix: belay/prod, region: eu-west-1, account: "111122223333", kmsKey: "${kmsKey}", endpoint: "https://minio.example:9000", profile: records, lock: { days: 400 } }`;
  expect(parse(`{ s3: ${all} }`)).toEqual({
    kind: 's3',
    bucket: 'example-records',
    prefix: 'belay/prod/',
    region: 'eu-west-1',
    account: '111122223333',
    kmsKey,
    endpoint: 'https://minio.example:9000',
    profile: 'records',
    lock: { mode: 'compliance', days: 400 },
  });
});

const s3 = (more: string): string => `{ s3: { bucket: example-records, region: eu-west-1, ${more} } }`;

test.each([
  [
    '{ directory: records, s3: { bucket: example-records, region: eu-west-1 } }',
    /records\.s3.*is set together with records\.directory; write only one of them/,
  ],
  ['{ s3: { region: eu-west-1 } }', /records\.s3\.bucket.*write the name of a bucket/],
  ['{ s3: { bucket: example-records } }', /records\.s3\.region.*write an AWS region/],
  ['{ s3: { bucket: Example_Records, region: eu-west-1 } }', /records\.s3\.bucket.*Example_Records.*3 to 63 lower-case letters/],
  ['{ s3: { bucket: a..b, region: eu-west-1 } }', /records\.s3\.bucket/],
  ['{ s3: { bucket: "other/../bucket", region: eu-west-1 } }', /records\.s3\.bucket/],
  [s3('prefix: "../other"'), /records\.s3\.prefix.*\.\.\/other.*write a prefix such as belay\/prod/],
  [s3('prefix: "belay/../other"'), /records\.s3\.prefix/],
  [s3('prefix: "/belay"'), /records\.s3\.prefix/],
  [s3('prefix: "a//b"'), /records\.s3\.prefix/],
  [s3('kmsKey: alias/records'), /records\.s3\.kmsKey.*alias\/records.*write the ARN of a KMS key/],
  [s3('endpoint: minio.example'), /records\.s3\.endpoint.*write a URL/],
  [s3('account: "1"'), /records\.s3\.account.*12 digits/],
  [s3('lock: { mode: forever, days: 1 }'), /records\.s3\.lock\.mode.*forever.*write compliance or governance/],
  [s3('lock: { days: 0 }'), /records\.s3\.lock\.days.*0.*write a whole number of days from 1 to 36500/],
  [s3('lock: {}'), /records\.s3\.lock\.days/],
  [s3('secretKey: hunter2'), /secretKey/],
])('%s is refused', (records, says) => {
  expect(() => parse(records)).toThrow(says);
});
