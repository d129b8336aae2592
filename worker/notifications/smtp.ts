/**
 * Hands one mail to a mail server, at most once: an end without the server's word after the text has begun to go out is `unknown`, and the mail is not sent
 * again (RFC 1047 is about the repeats that come of sending it). Whatever happens before is tried again.
 */
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { currentSignal } from '../../activities/runtime/context.ts';
import type { EventSink } from '../../activities/contract/ports.ts';
import { counted } from '../../activities/runtime/external-calls.ts';
import { failureOf } from '../../activities/runtime/translate-errors.ts';
import { agree, count, someOf } from '../../domain/core/text.ts';
import { field, messageOf } from '../../domain/core/unknown.ts';
import type { MailAccess } from '../../domain/policy/deliveries.ts';
import { type Mail, mailOf } from './mail.ts';
import { keepSettled, type Settled, settledOf } from './recipients.ts';

/** Below the activity's own limit. */
const LIMIT_MS = 60_000;
const TIMES = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export interface SmtpDeps {
  access: MailAccess;
  password?: string;
  /** Trusted besides, by tests. */
  ca?: string;
  /** Of the whole; the waits within it are as short at most. */
  limitMs?: number;
}

type Answer = Awaited<ReturnType<EventSink['send']>>;

export function mailSink(deps: SmtpDeps): EventSink {
  return {
    send: async (event, upgrade) => {
      const mail = await mailOf(event, upgrade, deps.access);
      return await handOver(deps, mail, event.key);
    },
  };
}

/** As EventSink.send. `key`: of the event; whoever has its mail by an attempt before is not sent it again. */
async function handOver(deps: SmtpDeps, mail: Mail, key: string): Promise<Answer> {
  const { access } = deps;
  const settled = settledOf(key);
  const to = mail.envelope.to.filter((address) => settled[address] === undefined);
  // Whoever was put off may be in belay.yaml no more.
  if (to.length === 0) return answerOf(deps, mail.envelope.to, key, settled, []);
  const doing = `sending mail by ${access.name} at ${access.host}:${access.port}`;
  let begun = false;
  // Read only once the server has said that it takes the text (354).
  const message = Readable.from(
    (function* text() {
      begun = true;
      yield mail.message;
    })(),
  );
  return await counted({ service: 'smtp', operation: 'SEND' }, async () => {
    try {
      const send = connected(
        deps,
        () => begun,
        (connection) => promised<Refusals>((done) => connection.send({ ...mail.envelope, to }, message, done)),
      );
      const { rejectedErrors = [] } = await (Object.keys(settled).length === 0 ? send : send.catch(refusalsIn));
      return answerOf(deps, mail.envelope.to, key, { ...settled, ...saidNow(to, rejectedErrors) }, rejectedErrors);
    } catch (error) {
      const code = field(error, 'responseCode');
      const isOfMail = field(error, 'code') === 'EENVELOPE' || field(error, 'code') === 'EMESSAGE';
      // What the server has said counts, whenever it was.
      if (typeof code === 'number' && code >= 500 && isOfMail && code !== 530)
        return { outcome: 'refused', why: `${access.host} answered ${code} (${said(error)})` };
      if (begun && typeof code !== 'number')
        return {
          outcome: 'unknown',
          why: `the connection to ${access.host} ended before it was said whether the mail was taken (${said(error)})`,
        };
      throw failureOf('Unavailable', `${doing}: ${said(error)}`, { cause: error });
    } finally {
      message.destroy();
    }
  });
}

interface Refusals {
  rejectedErrors?: unknown[];
}

/** None of those whom it was still asked for: the others have the mail all the same. Throws what is no answer of that kind. */
function refusalsIn(error: unknown): Refusals {
  const rejectedErrors: unknown = field(error, 'rejectedErrors');
  if (Array.isArray(rejectedErrors) && rejectedErrors.length > 0) return { rejectedErrors };
  throw error;
}

/** Without those whom the server puts off by a 4xx, as greylisting and full mailboxes do: RFC 5321, 4.2.1. */
function saidNow(to: readonly string[], rejectedErrors: readonly unknown[]): Settled {
  const refusals = new Map(rejectedErrors.map((error) => [String(field(error, 'recipient')), error]));
  const isPutOff = (error: unknown): boolean => Number(field(error, 'responseCode')) < 500;
  return Object.fromEntries(
    to.flatMap((address) => {
      const error = refusals.get(address);
      return isPutOff(error) ? [] : [[address, error === undefined ? '' : said(error)]];
    }),
  );
}

/** For whom the server put off, the mail is sent again, yet for an hour at most: a mailbox that stays full holds up the mails of the others no longer. */
function answerOf({ access }: SmtpDeps, all: readonly string[], key: string, settled: Settled, rejectedErrors: readonly unknown[]): Answer {
  const isPutOff = all.some((address) => settled[address] === undefined);
  if (isPutOff) keepSettled(key, settled);
  const now = rejectedErrors.map((error): [string, string] => [String(field(error, 'recipient')), said(error)]);
  const refused = Object.entries({ ...settled, ...Object.fromEntries(now) }).filter(([, why]) => why !== '');
  if (refused.length === 0) return { outcome: 'sent' };
  const told = all.length - refused.length;
  const names = someOf(refused.map(([address, why]) => `${address} (${why})`));
  return {
    outcome: 'refused',
    why: `${access.host} refused ${names}; ${told} of ${count(all.length, 'recipient')} ${agree(told, 'has', 'have')} the mail`,
    ...(isPutOff ? { mayPass: true } : {}),
  };
}

/** Signs in and leaves again: what `belay doctor` looks at. Throws what the server, or the way there, says. */
export async function signIn(deps: SmtpDeps): Promise<void> {
  await connected(
    deps,
    () => false,
    () => Promise.resolve(),
  );
}

async function connected<T>(deps: SmtpDeps, isGoingOut: () => boolean, work: (connection: SMTPConnection) => Promise<T>): Promise<T> {
  const { access, password, ca, limitMs = LIMIT_MS } = deps;
  const { host, port, tls, user } = access;
  const within = Object.fromEntries(Object.entries(TIMES).map(([name, ms]) => [name, Math.min(ms, limitMs)]));
  const connection = new SMTPConnection({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...within,
    ...(ca === undefined ? {} : { tls: { ca } }),
  });
  const signal = currentSignal();
  let timer: NodeJS.Timeout | undefined;
  const cut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs / 1000} s`)), limitMs);
    connection.on('error', reject);
    // Sent half, it would be said again: what is going out has its time.
    signal.addEventListener('abort', () => isGoingOut() || reject(new Error('this worker stops')), { once: true });
  });
  const talk = async (): Promise<T> => {
    await promised((done) => connection.connect(done));
    if (user !== undefined) await promised((done) => connection.login({ user, pass: password ?? '' }, done));
    return await work(connection);
  };
  try {
    signal.throwIfAborted();
    return await Promise.race([talk(), cut]);
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}

/** A node callback as a promise. */
function promised<T = unknown>(call: (done: (error?: Error | null, value?: T) => void) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => call((error, value) => (error == null ? resolve(value as T) : reject(error))));
}

/** The first line, bounded: a server may say whatever it likes. */
const said = (error: unknown): string => (messageOf(error).split('\n')[0] ?? '').slice(0, 300);
