/** The buttons of a question that a typed command was answered with. What comes of a press takes the question's place. */
import type { App, BlockAction, ButtonAction, RespondFn } from '@slack/bolt';
import { messageOf } from '../../domain/core/unknown.ts';
import { parseQuestionValue } from '../blocks/kit/button-values.ts';
import { type Rendered, sections } from '../blocks/kit/elements.ts';
import { mrkdwn } from '../blocks/kit/text.ts';
import { QUESTION_ACTIONS } from '../blocks/question.ts';
import { actorOf, listenerOf } from '../interaction/actor.ts';
import type { SlackDeps } from '../interaction/deps.ts';
import { failureSentence } from '../interaction/failure-text.ts';
import { type Listener, marked, says, tell } from '../interaction/reply.ts';
import { cancelled } from '../messages/questions.ts';
import { buttonUnreadable } from '../messages/refusals.ts';
import { doDeed } from '../requests/confirm/answer.ts';

export function registerQuestions(app: App, deps: SlackDeps): void {
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: QUESTION_ACTIONS.does },
    async ({ ack, action, body, respond }) => {
      await ack();
      const listener = inPlace(deps, body, respond);
      const value = parseQuestionValue(action.value);
      if (value === undefined) return await tell(listener, says(buttonUnreadable()));
      try {
        const place = { channelId: body.channel?.id ?? '', channelName: body.channel?.name ?? '' };
        await doDeed(deps, value, actorOf(body), place, listener);
      } catch (error) {
        await tell(listener, says(failureSentence(error, deps.log, QUESTION_ACTIONS.does)));
      }
    },
  );
  app.action<BlockAction<ButtonAction>>(
    { type: 'block_actions', action_id: QUESTION_ACTIONS.cancels },
    async ({ ack, action, body, respond }) => {
      await ack();
      const listener = inPlace(deps, body, respond);
      const deed = parseQuestionValue(action.value)?.deed;
      // Slack sends no text of a message that only one person sees.
      const words =
        deed === undefined
          ? says(buttonUnreadable())
          : marked(cancelled(`${deed.kind} ${mrkdwn('cluster' in deed ? deed.cluster : deed.campaign, 100)}`));
      await tell(listener, words);
    },
  );
}

/** An answer by the response url can take the place of a message that only one person sees (docs.slack.dev/interactivity/handling-user-interaction). */
function inPlace(deps: SlackDeps, body: BlockAction, respond: RespondFn): Listener {
  const listener = listenerOf(deps, body, respond);
  const show = async ({ text, blocks }: Rendered): Promise<boolean> => {
    try {
      const shown = blocks.length === 0 ? sections(text.split('\n'), 2) : blocks;
      const { ok } = await respond({ response_type: 'ephemeral', replace_original: true, text, blocks: shown });
      return ok;
    } catch (error) {
      deps.log.warn(`answering ${listener.user} in the place of a question: ${messageOf(error)}`);
      return false;
    }
  };
  return { ...listener, show };
}
