/** Belay's real worker and Slack process on the twin, with keys; beside them somebody who reaches Temporal, and has none. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { createDataConverter } from '../../../worker/crypto/codec/data-converter.ts';
import { sealingInterceptors } from '../../../worker/crypto/codec/seal-messages.ts';
import type { AuditEvent } from '../../../domain/gates/audit.ts';
import { quietRuntime } from '../../support/temporal.ts';
import type { Play } from '../../end-to-end/support/play.ts';
import { Theatre } from '../../end-to-end/support/theatre.ts';
import { Attacker, isEncrypted, plain } from './attacker.ts';

const SPEED = 1200;
export const EVIL_QUEUE = 'evil';

export const keys = (id: string): Record<string, string> => ({ BELAY_CODEC_KEYS: `${id}:${randomBytes(32).toString('base64')}` });

/** He cannot read what Belay answers, and goes on. */
const BLIND: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => payloads.map((payload) => (isEncrypted(payload) ? plain({}) : payload)),
};

export class Stage {
  readonly theatre: Theatre;
  /** Without keys. */
  readonly attacker: Attacker;
  /** With them: Belay's own processes, or somebody who has stolen them. */
  readonly inside: Client;
  readonly #keys: Record<string, string>;
  #evil: { worker: Worker; run: Promise<void> } | undefined;

  static async open(clusters: Parameters<typeof Theatre.open>[0]): Promise<Stage> {
    const env = keys('belay');
    const theatre = await Theatre.open(clusters, { speed: SPEED, env });
    quietRuntime(new DefaultLogger('ERROR', () => undefined));
    return new Stage(theatre, env);
  }

  private constructor(theatre: Theatre, env: Record<string, string>) {
    this.theatre = theatre;
    this.#keys = env;
    this.attacker = new Attacker(theatre.client);
    this.inside = new Client({
      connection: theatre.client.connection,
      dataConverter: createDataConverter(env),
      interceptors: { workflow: sealingInterceptors(env) },
    });
  }

  /** Runs workflows of the attacker's own. */
  async letHimWork(): Promise<void> {
    const workflowsPath = fileURLToPath(new URL('./evil-workflows.ts', import.meta.url));
    const logger = new DefaultLogger('ERROR', () => undefined);
    const worker = await Worker.create({
      connection: await NativeConnection.connect({ address: this.theatre.temporalAddress }),
      taskQueue: EVIL_QUEUE,
      dataConverter: { payloadCodecs: [BLIND] },
      workflowBundle: await bundleWorkflowCode({ workflowsPath, workflowInterceptorModules: [workflowsPath], logger }),
    });
    this.#evil = { worker, run: worker.run() };
  }

  async close(): Promise<void> {
    this.#evil?.worker.shutdown();
    await this.#evil?.run;
    await this.theatre.close();
  }

  /** What the audit record says was refused: of runs and at the door. `step`: of this one alone. */
  refusals(step?: string): string {
    const directory = join(this.theatre.recordsDirectory, 'audit');
    const lines = readdirSync(directory).flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n'));
    const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEvent);
    return events.flatMap((event) => (event.kind === 'refused' && (step ?? event.step) === event.step ? event.what : [])).join('\n');
  }

  /** What the worker said of an activity, as whoever has the keys reads it. */
  async whyFailed(workflowId: string, runId: string): Promise<string> {
    const events = await this.attacker.history(workflowId, runId);
    const failures = events.flatMap((event) => event.activityTaskFailedEventAttributes?.failure ?? []);
    return (await this.read(failures.flatMap(({ encodedAttributes }) => encodedAttributes ?? []))).join('\n');
  }

  /** As text, by the keys. */
  async read(payloads: Payload[]): Promise<string[]> {
    const [codec] = createDataConverter(this.#keys).payloadCodecs ?? [];
    const read = (await codec?.decode(payloads)) ?? [];
    return read.map(({ data }) => Buffer.from(data ?? []).toString());
  }
}

/** What was changed, and as whom: requests to STS for the role that changes. */
export function done({ world, scenario }: Play): { changes: number; writers: string[] } {
  const writers = world.eks.assumed.filter(({ role }) => role === scenario.settings?.writeRole).map(({ session }) => session);
  return { changes: world.journal.mutations.length, writers };
}
