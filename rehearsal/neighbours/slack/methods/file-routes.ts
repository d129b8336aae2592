/** Where files are sent to, and where people load them from. */
import express, { type Request, type Response as Answer, type Router } from 'express';
import { textOf } from '../block-kit/shape.ts';
import type { SlackState } from '../state.ts';

/** The one file of a form, or the body as it is: Slack takes both. */
async function sentFile(body: Buffer, contentType: string): Promise<Buffer> {
  if (!contentType.startsWith('multipart/form-data')) return body;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const file = [...form.values()].find((value) => typeof value !== 'string');
  return file === undefined ? Buffer.alloc(0) : Buffer.from(await file.arrayBuffer());
}

/** People load files without a token here: the page has no sign-in. */
export function fileRoutes(state: SlackState): Router {
  const router = express.Router();
  router.post('/upload/v1/:secret', express.raw({ type: () => true, limit: '50mb' }), async (request: Request, answer: Answer) => {
    if (state.down) return void answer.status(503).send('service_unavailable');
    const body: unknown = request.body;
    const content = await sentFile(Buffer.isBuffer(body) ? body : Buffer.alloc(0), request.headers['content-type'] ?? '');
    const known = state.files.receive(textOf(request.params['secret']) ?? '', content);
    answer.status(known ? 200 : 404).send(known ? `OK - ${content.length}` : 'not_found');
  });
  router.get('/files-pri/:id/download/:name', (request: Request, answer: Answer) => {
    const content = state.files.content((textOf(request.params['id']) ?? '').replace(/^[^-]*-/, ''));
    if (content === undefined) return void answer.status(404).send('file_not_found');
    answer.attachment(textOf(request.params['name']) ?? 'file').send(content);
  });
  return router;
}
