/** versitygw on a directory of its own: the server, its users and buckets. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { freePorts } from '../../../rehearsal/processes/free-port.ts';
import { Undertaker } from '../../../rehearsal/processes/undertaker.ts';
import { findPart } from '../../../rehearsal/real/parts/find.ts';
import { S3_PARTS } from '../../../rehearsal/real/parts/table.ts';
import type { BucketSettings } from '../../../activities/clients/aws/s3.ts';
import { type Child, startChild } from '../../production/support/child.ts';

const REGION = 'eu-central-1';
const ROOT = { accessKeyId: 'root-access', secretAccessKey: 'root-secret-key' };

interface Actions {
  bucket: string[];
  objects: string[];
}

export class S3Server {
  readonly #directory: string;
  readonly #program: string;
  readonly #port: number;
  readonly #undertaker = new Undertaker();
  readonly admin: S3Client;
  #child: Child | undefined;
  #bucketCount = 0;
  #profiles = '';

  private constructor(program: string, port: number) {
    this.#program = program;
    this.#port = port;
    this.#directory = mkdtempSync(join(tmpdir(), 'belay-s3-'));
    for (const folder of ['data', 'versions', 'metadata', 'users']) mkdirSync(join(this.#directory, folder));
    process.env['AWS_SHARED_CREDENTIALS_FILE'] = join(this.#directory, 'credentials');
    process.env['AWS_CONFIG_FILE'] = join(this.#directory, 'no-config');
    this.#profile('root', ROOT.accessKeyId, ROOT.secretAccessKey);
    this.admin = new S3Client({ region: REGION, endpoint: this.endpoint, forcePathStyle: true, credentials: ROOT, maxAttempts: 1 });
  }

  static async start(): Promise<S3Server> {
    const [part] = S3_PARTS;
    const program = part && findPart(part, process.env);
    if (program === undefined) throw new Error('versitygw is not built: npm run real-parts -- s3');
    const [port = 0] = await freePorts(1);
    const server = new S3Server(program, port);
    await server.run();
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts, or starts again with all that was written. */
  async run(): Promise<void> {
    const folder = (name: string): string => join(this.#directory, name);
    const users = ['--iam-dir', folder('users')];
    const serving = [
      '--port',
      `127.0.0.1:${this.#port}`,
      '--region',
      REGION,
      '--access',
      ROOT.accessKeyId,
      '--secret',
      ROOT.secretAccessKey,
    ];
    this.#child = startChild({
      command: this.#program,
      args: [
        ...serving,
        '--quiet',
        ...users,
        'posix',
        '--versioning-dir',
        folder('versions'),
        '--sidecar',
        folder('metadata'),
        folder('data'),
      ],
      env: { PATH: process.env['PATH'] },
      logFile: folder('server.log'),
      undertaker: this.#undertaker,
    });
    for (;;) {
      this.#child.orThrow();
      if (
        await fetch(this.endpoint).then(
          () => true,
          () => false,
        )
      )
        return;
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    await this.#child?.end('SIGKILL');
  }

  async close(): Promise<void> {
    await this.stop();
    this.admin.destroy();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** An empty bucket, and a user for it who may do `actions`; default: root. */
  async bucket(options: { lock?: boolean; actions?: Actions } = {}): Promise<BucketSettings> {
    this.#bucketCount += 1;
    const bucket = `records-${this.#bucketCount}`;
    await this.admin.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: options.lock === true }));
    if (options.actions === undefined) return { ...this.#settings(bucket), profile: 'root' };
    const user = `user-${this.#bucketCount}`;
    this.#admin('create-user', '--access', user, '--secret', `secret-${user}`, '--role', 'user');
    await this.allow(bucket, user, options.actions);
    this.#profile(user, user, `secret-${user}`);
    return { ...this.#settings(bucket), profile: user };
  }

  #settings(bucket: string): BucketSettings {
    return { bucket, prefix: 'belay/', region: REGION, endpoint: this.endpoint };
  }

  #profile(name: string, access: string, secret: string): void {
    this.#profiles += `[${name}]\naws_access_key_id = ${access}\naws_secret_access_key = ${secret}\n`;
    writeFileSync(join(this.#directory, 'credentials'), this.#profiles);
  }

  /** In place of what was allowed before. */
  async allow(bucket: string, user: string, { bucket: ofBucket, objects }: Actions): Promise<void> {
    const Principal = { AWS: [user] };
    const arn = `arn:aws:s3:::${bucket}`;
    const Statement = [
      { Effect: 'Allow', Principal, Action: ofBucket, Resource: arn },
      { Effect: 'Allow', Principal, Action: objects, Resource: `${arn}/*` },
    ];
    await this.admin.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }));
  }

  #admin(...args: string[]): void {
    const asRoot = ['--access', ROOT.accessKeyId, '--secret', ROOT.secretAccessKey, '--endpoint-url', this.endpoint, '--region', REGION];
    execFileSync(this.#program, ['admin', ...asRoot, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}
