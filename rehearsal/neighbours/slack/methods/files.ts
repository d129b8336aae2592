/** Files that an app uploads: announced, sent, then completed once; only then does anybody see them. */
import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { SlackError } from '../errors.ts';
import type { Fields } from '../block-kit/shape.ts';
import type { Workspace } from '../workspace.ts';

interface Upload {
  id: string;
  /** In the upload URL, which needs no token. */
  secret: string;
  name: string;
  title: string;
  content?: Buffer;
  completed: boolean;
}

/** By the ending of the name, as Slack tells them apart. */
const TYPES: Record<string, { mimetype: string; pretty: string }> = {
  html: { mimetype: 'text/html', pretty: 'HTML' },
  json: { mimetype: 'application/json', pretty: 'JSON' },
  txt: { mimetype: 'text/plain', pretty: 'Plain Text' },
};

export class FileStore {
  readonly #uploads: Upload[] = [];

  /** A file that will be sent. */
  announce(name: string): { id: string; secret: string } {
    const upload = { id: `F${randomBytes(5).toString('hex').toUpperCase()}`, secret: randomBytes(16).toString('hex') };
    this.#uploads.push({ ...upload, name, title: name, completed: false });
    return upload;
  }

  /** False: no such upload. */
  receive(secret: string, content: Buffer): boolean {
    const upload = this.#uploads.find((one) => one.secret === secret && !one.completed);
    if (upload === undefined) return false;
    upload.content = content;
    return true;
  }

  /** Throws file_not_found for one that was never sent or is completed already: Slack completes each only once. */
  complete(id: string, title: string | undefined): { id: string; name: string; title: string; size: number } {
    const upload = this.#uploads.find((one) => one.id === id);
    if (upload?.content === undefined || upload.completed) throw new SlackError('file_not_found');
    upload.completed = true;
    upload.title = title ?? upload.title;
    return { id, name: upload.name, title: upload.title, size: upload.content.length };
  }

  /** What was sent; undefined until it is completed. */
  content(id: string): Buffer | undefined {
    const upload = this.#uploads.find((one) => one.id === id);
    return upload?.completed === true ? upload.content : undefined;
  }
}

/** A completed file as messages show it: docs.slack.dev/reference/objects/file-object. */
export function wireFile(file: ReturnType<FileStore['complete']>, { team, app }: Workspace, origin: string): Fields {
  const { id, name, title, size } = file;
  const filetype = extname(name).slice(1);
  const type = TYPES[filetype];
  const created = Math.floor(Date.now() / 1000);
  const place = `${origin}/files-pri/${team.id}-${id}`;
  return {
    id,
    created,
    timestamp: created,
    name,
    title,
    mimetype: type?.mimetype ?? 'application/octet-stream',
    filetype: type === undefined ? 'binary' : filetype,
    pretty_type: type?.pretty ?? 'Binary',
    user: app.botUserId,
    user_team: team.id,
    editable: false,
    size,
    mode: 'hosted',
    is_external: false,
    external_type: '',
    is_public: true,
    url_private: `${place}/${encodeURIComponent(name)}`,
    url_private_download: `${place}/download/${encodeURIComponent(name)}`,
  };
}
