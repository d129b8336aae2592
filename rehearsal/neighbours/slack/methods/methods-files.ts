/** files.*: the two calls around an upload. docs.slack.dev/reference/methods/files.getUploadURLExternal, files.completeUploadExternal */
import { SlackError } from '../errors.ts';
import { wireFile } from './files.ts';
import { joinedChannelOf, type Methods, missing, required } from './method.ts';
import { listOf, textOf } from '../block-kit/shape.ts';
import { postAsApp, threadAsked } from '../state.ts';

const WRITE = ['files:write'];

export const FILE_METHODS: Methods = {
  'files.getUploadURLExternal': {
    scopes: WRITE,
    run(args, { files }, host) {
      const name = required(args, 'filename');
      if (!(Number(args['length']) > 0)) throw missing('length');
      const { id, secret } = files.announce(name);
      // The upload goes the way of the request: through the proxy where one stands between.
      return { upload_url: `http://${host}/upload/v1/${secret}`, file_id: id };
    },
  },
  'files.completeUploadExternal': {
    scopes: WRITE,
    mutates: true,
    run(args, state) {
      const wanted = listOf(args['files']);
      if (wanted.length === 0) throw missing('files');
      const shared = textOf(args['channel_id']);
      const channel = shared === undefined ? undefined : joinedChannelOf({ channel: shared }, state);
      const threadTs = threadAsked(args);
      if (channel !== undefined && threadTs !== undefined && state.messages.find(channel.id, threadTs) === undefined)
        throw new SlackError('thread_not_found');
      const completed = wanted.map((file) => state.files.complete(textOf(file['id']) ?? '', textOf(file['title'])));
      const files = completed.map((file) => wireFile(file, state.workspace, state.origin));
      if (channel !== undefined) postAsApp(state, { channel: channel.id, content: { text: args['initial_comment'] }, threadTs, files });
      return { files: completed.map(({ id, title }) => ({ id, title })) };
    },
  },
};
