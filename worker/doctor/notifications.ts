/** Looks at receivers beside Slack: can address and secrets be read, does the other side answer by TLS; with `sendTest` each gets one event. */
import { randomUUID } from 'node:crypto';
import { connect as plain } from 'node:net';
import { connect as secure } from 'node:tls';
import type { Config } from '../../domain/policy/config/config.ts';
import type { DeliveryAccess } from '../../domain/policy/deliveries.ts';
import type { RunEvent } from '../../domain/run/events/event.ts';
import { unheardGates } from '../config/slack-use.ts';
import { sinkOf, smtpDeps, webhookDeps } from '../notifications/open.ts';
import { signIn } from '../notifications/smtp.ts';
import { type Diagnosis, said } from './types.ts';

const area = 'Notifications';
const LIMIT_MS = 10_000;

/** Never throws. Nothing is sent without `sendTest`. */
export async function examineNotifications(
  config: Config,
  env: NodeJS.ProcessEnv,
  { sendTest = false, limitMs = LIMIT_MS }: { sendTest?: boolean; limitMs?: number } = {},
): Promise<Diagnosis[]> {
  const unheard = unheardGates(config);
  const looked = await Promise.all(
    config.deliveries.map(async ({ access }): Promise<Diagnosis> => {
      const { name, kind } = access;
      const fix = `correct notifications.${kind === 'webhook' ? 'webhooks' : 'email'} ${name} in belay.yaml, or what it names`;
      try {
        const seen = await look(config, access, env, limitMs);
        if (!sendTest) return { area, status: 'ok', message: `${name}: ${seen}` };
        const { outcome, why } = (await sinkOf(config, name, env)?.send(testEvent(), TEST_RUN)) ?? { outcome: 'refused' as const };
        if (outcome === 'sent') return { area, status: 'ok', message: `${name}: ${seen}; a test was taken` };
        return { area, status: outcome === 'unknown' ? 'unknown' : 'failed', message: `${name}: ${why ?? outcome}`, fix };
      } catch (error) {
        return { area, status: 'failed', message: `${name}: ${said(error)}`, fix };
      }
    }),
  );
  return unheard === undefined ? looked : [...looked, { area, status: 'warning', message: unheard.why, fix: unheard.fix }];
}

/** What was seen. Throws where the receiver cannot be told. */
async function look(config: Config, access: DeliveryAccess, env: NodeJS.ProcessEnv, limitMs: number): Promise<string> {
  const place = { fileName: config.fileName, env };
  if (access.kind === 'email') {
    await signIn({ ...smtpDeps(access, place), limitMs });
    return `${access.host}:${access.port} answers${access.user === undefined ? '' : ` and lets ${access.user} in`} (tls: ${access.tls})`;
  }
  const { url, secrets } = webhookDeps(access, place);
  await reach(url, limitMs);
  return `${url.origin} answers; ${secrets.length === 1 ? 'one secret signs' : `${secrets.length} secrets sign`}`;
}

/** A connection, with a certificate that is trusted where it is https; no request. */
async function reach(url: URL, limitMs: number): Promise<void> {
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port === '' ? (isTls ? 443 : 80) : url.port);
  await new Promise<void>((resolve, reject) => {
    const socket = isTls ? secure({ host, port, servername: host }, done) : plain({ host, port }, done);
    function done(): void {
      socket.destroy();
      resolve();
    }
    socket.setTimeout(limitMs, () => socket.destroy(new Error(`${url.origin} does not answer within ${limitMs / 1000} s`)));
    socket.on('error', reject);
  });
}

/** Each look is a run of its own: receivers that drop repeats still see each test. */
const TEST_RUN = { workflowId: 'belay-doctor', runId: randomUUID() };

const testEvent = (): RunEvent => ({
  key: `test/${randomUUID()}`,
  type: 'note.info',
  at: new Date().toISOString(),
  data: {
    cluster: { name: 'belay-doctor', account: '', region: '', environment: 'test' },
    run: TEST_RUN,
    note: { text: 'A test of belay doctor. Nothing has happened.' },
  },
});
