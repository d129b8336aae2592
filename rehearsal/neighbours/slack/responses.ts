/** Answers to a command or a button press: in the acknowledgement, or through its response url. */
import type { Request, Response, Router } from 'express';
import express from 'express';
import { SlackError } from './errors.ts';
import { type Fields, fieldsOf, isYes, textOf } from './block-kit/shape.ts';
import type { ResponseTarget } from './modes/short-lived.ts';
import { acceptBlocks, postAsApp, type SlackState } from './state.ts';

/** Does what an answer says: replace, delete, say in the channel, or say to the one who acted. Throws SlackErrors. */
export function answerInPlace(state: SlackState, target: ResponseTarget, answer: Fields): void {
  const { messages } = state;
  const original = target.messageTs === undefined ? undefined : messages.find(target.channel, target.messageTs);
  if (isYes(answer['delete_original'])) {
    if (original !== undefined) messages.remove(target.channel, original.ts);
    return;
  }
  if (textOf(answer['text']) === undefined && answer['blocks'] === undefined) return;
  if (isYes(answer['replace_original']) && original !== undefined) {
    const blocks = acceptBlocks(answer['blocks']);
    messages.edit(target.channel, original.ts, (message) => {
      message.text = textOf(answer['text']) ?? '';
      message.blocks = blocks;
    });
    return;
  }
  const inChannel = answer['response_type'] === 'in_channel';
  postAsApp(state, {
    channel: target.channel,
    content: answer,
    threadTs: textOf(answer['thread_ts']) ?? target.threadTs,
    ephemeralTo: inChannel ? undefined : target.user,
  });
}

/** POST /response/<id>: "ok", or 404 with the reason once it is used up. */
export function responseUrlRoutes(state: SlackState): Router {
  const router = express.Router();
  router.post('/response/:id', express.json({ limit: '1mb' }), (request: Request, response: Response) => {
    if (state.down) return void response.status(503).send('service_unavailable');
    try {
      answerInPlace(state, state.responseUrls.use(textOf(request.params['id']) ?? ''), fieldsOf(request.body));
      response.send('ok');
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      const gone = error.code === 'used_url' || error.code === 'expired_url';
      response.status(gone ? 404 : 500).json({ ok: false, error: error.code, ...error.extra });
    }
  });
  return router;
}
