/** What a real API server asks of EKS: who a token belongs to, and where its audit events go. They become the rehearsal's mutations. */
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { messageOf } from '../../domain/core/unknown.ts';
import { authenticate } from '../kubernetes/http/access/authentication.ts';
import { close, listen } from '../world/core/loopback.ts';
import { BELAY_ACCESS_KEY } from '../world/core/rights.ts';
import type { KubernetesFates } from '../world/faults/apis/kubernetes.ts';
import type { Journal } from '../world/journal.ts';

/** The group of deploy/kubernetes-rbac.yaml, which EKS's access entry gives to Belay's role. */
const BELAY_GROUP = 'belay';
/** Whoever else has AWS credentials made the cluster. */
const ADMINISTRATORS = 'system:masters';
const DETAIL_LIMIT = 400;

const review = z.object({ spec: z.object({ token: z.string() }) });
const auditEvents = z.object({
  items: z.array(
    z.object({
      verb: z.string(),
      user: z.object({ username: z.string() }),
      objectRef: z
        .object({ resource: z.string(), namespace: z.string().optional(), name: z.string().optional(), subresource: z.string().optional() })
        .optional(),
      responseStatus: z.object({ code: z.number().optional(), reason: z.string().optional(), message: z.string().optional() }).optional(),
      requestObject: z.unknown().optional(),
    }),
  ),
});
type AuditEvent = z.output<typeof auditEvents>['items'][number];

export interface Hooks {
  /** http://127.0.0.1:PORT/token answers TokenReviews, /audit takes EventLists. */
  url: string;
  close(): Promise<void>;
}

export interface HooksOptions {
  journal: Journal;
  /** What Belay changes is a moment at which a fault may begin, elsewhere: the change itself is made. */
  fates: KubernetesFates;
}

export async function startHooks(options: HooksOptions): Promise<Hooks> {
  const { journal } = options;
  const server = createServer((request, response) => {
    const answered = request.url?.startsWith('/token') === true ? answerReview(request) : takeEvents(request, options);
    answered.then(
      (body) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => {
        journal.tell(`EKS's side of the API server failed: ${messageOf(error)}`);
        response.writeHead(500).end();
      },
    );
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => close(server) };
}

/** The user that audit policies know Belay by. */
export const BELAY_USER = `aws:${BELAY_ACCESS_KEY}`;

async function answerReview(request: IncomingMessage): Promise<object> {
  const { spec } = review.parse(await readJson(request));
  const identity = authenticate({ authorization: `Bearer ${spec.token}`, staticTokens: [], wallNowMs: Date.now() });
  const group = identity?.accessKeyId === BELAY_ACCESS_KEY ? BELAY_GROUP : ADMINISTRATORS;
  return {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    status:
      identity === undefined
        ? { authenticated: false }
        : { authenticated: true, user: { username: identity.username, uid: identity.username, groups: [group] } },
  };
}

async function takeEvents(request: IncomingMessage, options: HooksOptions): Promise<object> {
  for (const event of auditEvents.parse(await readJson(request)).items) await record(event, options);
  return {};
}

async function record({ verb, objectRef, responseStatus, requestObject }: AuditEvent, { journal, fates }: HooksOptions): Promise<void> {
  if (objectRef === undefined) return;
  const { resource, namespace, name, subresource } = objectRef;
  const accepted = (responseStatus?.code ?? 500) < 300;
  const path = [resource, resource === 'namespaces' ? undefined : namespace, name].filter((part) => part !== undefined).join('/');
  if (accepted) fates.meet({ api: 'kubernetes', operation: `${verb} ${resource}`, resource: path, mutates: true });
  await journal.record({
    api: 'kubernetes',
    operation: `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`,
    resource: path,
    accepted,
    ...(accepted ? {} : { error: responseStatus?.reason ?? 'Unknown' }),
    detail: {
      ...(requestObject === undefined || resource === 'secrets' ? {} : { body: JSON.stringify(requestObject).slice(0, DETAIL_LIMIT) }),
      ...(accepted ? {} : { message: responseStatus?.message ?? '' }),
    },
  });
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
