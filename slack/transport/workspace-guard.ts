/** Refuses people of other organisations: a shared channel shows them the buttons, but they decide nothing here. */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { type Home, isAtHome } from '../../domain/gates/slack-person.ts';
import type { Log } from '../api/log.ts';
import type { Actor } from '../../domain/gates/actor.ts';
import type { DoorRefusal } from '../../client/calls/contract.ts';
import { auditOtherWorkspace, otherWorkspace } from '../messages/refusals.ts';

/** Lets requests of the home workspace (or its organisation) pass; acknowledges and answers the others, and tells `refused`. */
export function onlyHome(home: Home, log: Log, refused: (refusal: DoorRefusal) => void): Middleware<AnyMiddlewareArgs> {
  return async (args) => {
    const from = origin(args.body);
    if (isAtHome(from, home)) return await args.next();
    const team = from.teamId ?? 'unknown';
    log.warn(`refused a request of somebody of team ${team}`);
    refused({ what: auditOtherWorkspace(team), ...personIn(args.body) });
    if ('ack' in args && typeof args.ack === 'function') await args.ack();
    if ('respond' in args && typeof args.respond === 'function')
      await args.respond({ response_type: 'ephemeral', replace_original: false, text: otherWorkspace() });
  };
}

/** The acting person's own team, not the one in which the message stands. */
function origin(body: object): { teamId?: string; enterpriseId?: string } {
  const user: unknown = 'user' in body ? body.user : undefined;
  const enterprise: unknown = 'enterprise' in body ? body.enterprise : undefined;
  const teamId = text(user, 'team_id') ?? text(body, 'team_id');
  return { teamId, enterpriseId: text(body, 'enterprise_id') ?? text(enterprise, 'id') };
}

/** Whom a signed request names. */
export function personIn(body: object): { actor?: Actor } {
  const id = text('user' in body ? body.user : undefined, 'id') ?? text(body, 'user_id');
  return id === undefined ? {} : { actor: { kind: 'slack', id } };
}

function text(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
  return typeof found === 'string' ? found : undefined;
}
