/**
 * Commands, steering buttons and the Home, so often for each person: repeated without end they would use up what Slack answers to votes. Each process counts
 * what reaches it, so two let through twice as much at most.
 */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { field } from '../../domain/core/unknown.ts';
import type { Log } from '../api/log.ts';
import { answerInView } from './answer-in-view.ts';
import { personIn } from './workspace-guard.ts';
import { Throttle } from './throttle.ts';
import { tooManyRequests } from '../messages/refusals.ts';

/** Faster than anybody types or presses on purpose. */
const USUAL = { burst: 20, everyMs: 3_000 };

/** What buttons of votes begin with: in a gate's message, and in its modal. */
const VOTES = ['gate/', 'review/choose/'];

/** Lets votes, reasons and forms pass, whatever else their sender does; acknowledges what is too much, and says when to try again. */
export function rateLimited({ web, log }: { web: Pick<WebClient, 'views'>; log: Log }, options = USUAL): Middleware<AnyMiddlewareArgs> {
  const throttle = new Throttle(options);
  // In a view an answer is a call of its own, of those that are to be saved.
  const answers = new Throttle({ ...options, burst: 1 });
  return async (args) => {
    const person = personOf(args.body);
    const waitMs = person === undefined || !isLimited(args.body) ? 0 : throttle.take(person);
    if (waitMs === 0) return await args.next();
    log.warn(`refused a request of ${person}: too many in a short time`);
    if ('ack' in args && typeof args.ack === 'function') await args.ack();
    const text = tooManyRequests(Math.ceil(waitMs / 1000));
    if ('respond' in args && typeof args.respond === 'function')
      await args.respond({ response_type: 'ephemeral', replace_original: false, text });
    else if (person !== undefined && answers.take(person) === 0) await answerInView(web, args.body, text, log);
  };
}

function personOf(body: object): string | undefined {
  const ofEvent = field(field(body, 'event'), 'user');
  return personIn(body).actor?.id ?? (typeof ofEvent === 'string' ? ofEvent : undefined);
}

function isLimited(body: object): boolean {
  if (field(body, 'command') !== undefined) return true;
  if (field(field(body, 'event'), 'type') === 'app_home_opened') return true;
  const actions = field(body, 'actions');
  const id = Array.isArray(actions) ? field(actions[0], 'action_id') : undefined;
  return typeof id === 'string' && !VOTES.some((prefix) => id.startsWith(prefix));
}
