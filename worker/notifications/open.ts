/** Finds receivers in belay.yaml by their names, with addresses and secrets as they are now: rotated, they need no restart. */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { EventSink } from '../../activities/contract/ports.ts';
import { failureOf } from '../../activities/runtime/translate-errors.ts';
import { field, messageOf } from '../../domain/core/unknown.ts';
import type { Config } from '../../domain/policy/config/config.ts';
import { isPlain } from '../../domain/policy/config/sections/notifications.ts';
import type { DeliveryAccess, MailAccess, SecretPlace, WebhookAccess } from '../../domain/policy/deliveries.ts';
import { mailSink, type SmtpDeps } from './smtp.ts';
import { secretsIn } from './standard-webhooks.ts';
import { type WebhookDeps, webhookSink } from './webhook.ts';

/** Larger files are not what they are taken for. */
const MOST_CHARACTERS = 16_384;

type Place = Pick<Config, 'fileName'> & { env: NodeJS.ProcessEnv };

export const accessNamed = ({ deliveries }: Config, name: string): DeliveryAccess | undefined =>
  deliveries.find(({ access }) => access.name === name)?.access;

/** undefined: belay.yaml has none of this name. Throws a failure that is tried again, since whoever runs Belay can mend it. */
export function sinkOf(config: Config, name: string, env: NodeJS.ProcessEnv): EventSink | undefined {
  const access = accessNamed(config, name);
  if (access === undefined) return undefined;
  const place = { fileName: config.fileName, env };
  try {
    return access.kind === 'webhook' ? webhookSink(webhookDeps(access, place)) : mailSink(smtpDeps(access, place));
  } catch (error) {
    throw failureOf('Unavailable', `reading notifications ${name}: ${messageOf(error)}`);
  }
}

/** Throws an error that says the fix. */
export function webhookDeps(access: WebhookAccess, place: Place): WebhookDeps {
  const { name, url: where, secret, allowPlainHttp } = access;
  const text = 'url' in where ? where.url : readSecret(where, 'url', place);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error('its address is not an http or https URL; write one such as https://hooks.example.com/belay');
  if (url.username !== '' || url.password !== '')
    throw new Error('its address has a user or a password, which fetch does not send; write it without');
  if (isPlain(url) && !allowPlainHttp)
    throw new Error(`${url.origin} is plain http, and events would be readable on the way; use https:// or set allowPlainHttp`);
  return { name, url, secrets: secretsOf(readSecret(secret, 'secret', place)) };
}

function secretsOf(text: string): Buffer[] {
  try {
    return secretsIn(text);
  } catch (error) {
    throw new Error(`its signing secret cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** Throws an error that says the fix. */
export function smtpDeps(access: MailAccess, place: Place): SmtpDeps {
  return { access, ...(access.password === undefined ? {} : { password: readSecret(access.password, 'password', place) }) };
}

/** Never shows what it has read. */
function readSecret({ file, from }: SecretPlace, what: string, { fileName, env }: Place): string {
  if (from !== undefined) {
    const value = env[from]?.trim();
    if (value === undefined || value === '') throw new Error(`${what}From names ${from}, which is not set in this environment`);
    return value;
  }
  const path = file ?? '';
  try {
    const text = readFileSync(isAbsolute(path) ? path : resolve(dirname(fileName), path), 'utf8').trim();
    if (text !== '' && text.length <= MOST_CHARACTERS) return text;
  } catch (error) {
    throw new Error(`${what}File ${path} cannot be read (${String(field(error, 'code'))})`, { cause: error });
  }
  throw new Error(`${what}File ${path} is empty or too large for what it is to hold`);
}
