/** The buttons of a readiness check: Check again, Plan the upgrade. */
import type { App, BlockAction, ButtonAction } from '@slack/bolt';
import type { Actor } from '../../domain/gate.ts';
import { type Listener, says, tell } from '../answers.ts';
import { type CheckValue, parseCheckValue } from '../blocks/values.ts';
import { runCheck } from '../commands/check.ts';
import { runPlanning } from '../commands/planning.ts';
import type { SlackDeps } from '../deps.ts';
import { failureSentence } from '../failures.ts';
import { whyRefused } from '../outsiders.ts';
import { actorOf, listenerOf, NOT_OURS } from './who.ts';

type Press = (deps: SlackDeps, value: CheckValue, actor: Actor, listener: Listener) => Promise<void>;

const BUTTONS: Record<string, Press> = {
  'check/again': (deps, { cluster, target, run }, actor, listener) => runCheck(deps, { cluster, target, since: run }, actor, listener),
  'check/plan': (deps, { cluster, target }, actor, listener) => runPlanning(deps, { kind: 'plan', cluster, target }, actor, listener),
};

export function registerCheckButtons(app: App, deps: SlackDeps): void {
  for (const [actionId, press] of Object.entries(BUTTONS)) {
    app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: actionId }, async ({ ack, action, body, respond }) => {
      await ack();
      const listener = listenerOf(deps, body, respond);
      const value = parseCheckValue(action.value);
      if (value === undefined) return await tell(listener, says(NOT_OURS));
      const refusal = await whyRefused(deps, body.user.id);
      if (refusal !== undefined) return await tell(listener, says(refusal));
      try {
        await press(deps, value, actorOf(body), listener);
      } catch (error) {
        await tell(listener, says(failureSentence(error, deps.log, actionId)));
      }
    });
  }
}
