/** One HTTP server for all AWS services that are reached through AWS_ENDPOINT_URL: EKS and what a look at a cluster needs beside it, on their wire formats. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { messageOf } from '../../domain/core/unknown.ts';
import { actionOf, type AwsRequest, changeOf, type Service, serviceByScope } from '../aws/services.ts';
import { close, listen } from '../core/loopback.ts';
import { asSeenBySts, sufferAws } from '../faults/apis/aws.ts';
import type { World } from '../world/world.ts';
import { take } from './api-rate.ts';
import { AwsError } from './errors.ts';
import { identityOf, verifyPresigned } from './identities.ts';
import { parseJson, readBody } from './http.ts';
import { eksOperation } from './routes.ts';
import { inShortPages } from './short-pages.ts';
import { assumedBy, refuseEnded, sts, stsError } from './sts.ts';

export interface AwsServer {
  url: string;
  close(): Promise<void>;
}

export interface AwsServerOptions {
  world: World;
  /** Other clusters of the account and region: what EKS is asked about one of them is answered from its world. */
  neighbours?: readonly World[];
  /** Refuses an EKS action to an access key where it says true. Default: everything is allowed. */
  forbidden?: (action: string, accessKeyId: string) => boolean;
}

/** Listens on 127.0.0.1, on a free port. Answers have world time as their Date, by which clients judge the times in them; refusals have none. */
export async function startAwsServer(options: AwsServerOptions): Promise<AwsServer> {
  const { world } = options;
  const server = createServer((request, response) => {
    const short = world.faults.inForce('eks:short-pages');
    inShortPages(short, () => answer(options, request, response)).catch((error: unknown) => {
      world.journal.tell(`the AWS stand-in failed: ${messageOf(error)}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => close(server) };
}

const PASS_ROLE = 'iam:PassRole';

/** The service that a request is signed for, "eks"; a presigned one says it in its query. */
function scopeOf(request: IncomingMessage, url: URL): string {
  const credential = /Credential=([^, ]+)/.exec(request.headers.authorization ?? '')?.[1] ?? url.searchParams.get('X-Amz-Credential') ?? '';
  return credential.split('/')[3] ?? 'eks';
}

const isOf = (cluster: string, { pathname }: URL): boolean => `${pathname}/`.startsWith(`/clusters/${encodeURIComponent(cluster)}/`);

function refuseUnsigned(request: IncomingMessage, url: URL): void {
  const signed = /^AWS4-HMAC-SHA256 Credential=.+, ?SignedHeaders=.+, ?Signature=[0-9a-f]{64}$/.test(request.headers.authorization ?? '');
  if (!signed && !url.searchParams.has('X-Amz-Signature')) {
    throw new AwsError(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
}

/** In the words of AWS. */
function notAuthorized(
  world: World,
  action: string,
  accessKeyId: string,
  denial = { status: 403, code: 'AccessDeniedException' },
): AwsError {
  const { account } = world.eks.cluster;
  return new AwsError(
    denial.status,
    denial.code,
    `User: arn:aws:iam::${account}:user/${accessKeyId} is not authorized to perform: ${action}`,
  );
}

async function answer(
  { world, neighbours = [], forbidden }: AwsServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const raw = await readBody(request);
  const service = scopeOf(request, url);
  const other = serviceByScope(service);
  const accessKeyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
  // Node's own would be wall time.
  response.sendDate = false;
  response.setHeader('Date', world.clock.now().toUTCString());
  response.setHeader('x-amzn-RequestId', randomUUID());
  try {
    refuseUnsigned(request, url);
    refuseEnded(world, accessKeyId, service);
    if (service === 'sts') {
      const form = new URLSearchParams(raw);
      const presigner = identityOf((url.searchParams.get('X-Amz-Credential') ?? '').split('/')[0] ?? '');
      // Proofs are made and read by processes on wall time.
      if (presigner !== undefined) verifyPresigned(url, request.headers, presigner, Date.now());
      sendXml(
        response,
        200,
        sts(
          asSeenBySts(world),
          form.has('Action') ? form : url.searchParams,
          presigner ?? identityOf(accessKeyId),
          assumedBy(world, accessKeyId),
        ),
      );
    } else if (other !== undefined) {
      const asked = { target: String(request.headers['x-amz-target'] ?? ''), query: url.searchParams, body: raw };
      const action = actionOf(other, asked);
      if (forbidden?.(action, accessKeyId) === true) throw notAuthorized(world, action, accessKeyId, other.denial);
      send(response, 200, await journalled(world, other, asked), other.contentType);
    } else if (service === 'eks') {
      const { action, run } = eksOperation(request.method ?? 'GET', url.pathname);
      if (forbidden?.(action, accessKeyId) === true) throw notAuthorized(world, action, accessKeyId);
      // A role that a request names is passed to EKS.
      if (parseJson(raw).serviceAccountRoleArn !== undefined && forbidden?.(PASS_ROLE, accessKeyId) === true)
        throw notAuthorized(world, PASS_ROLE, accessKeyId);
      const call = { action, method: request.method ?? 'GET', path: url.pathname };
      const refusal = ({ status, code, message }: { status: number; code: string; message: string }) => new AwsError(status, code, message);
      const asked = neighbours.find(({ eks }) => isOf(eks.cluster.name, url)) ?? world;
      take(asked.eks.apiRate);
      const serve = () => run(asked, { query: url.searchParams, body: parseJson(raw) });
      const body = await sufferAws(world, call, response, refusal, serve);
      if (body !== undefined) sendJson(response, 200, body, 'application/json');
    } else {
      throw new AwsError(400, 'UnknownOperationException', `The stand-in has no service ${service}.`);
    }
  } catch (error) {
    const known = error instanceof AwsError ? error : new AwsError(500, 'ServerException', String(error));
    // A Date far from the client's own looks to SDKs like the reason for the refusal: they correct their clock and send again.
    response.removeHeader('Date');
    if (service === 'sts') return sendXml(response, known.status, stsError(known));
    response.setHeader('x-amzn-errortype', known.code);
    if (other !== undefined) return send(response, known.status, other.error(known), other.contentType);
    sendJson(response, known.status, { ...known.members, message: known.message }, 'application/json');
  }
}

/** A change is in the journal before it is answered. */
async function journalled(world: World, service: Service, asked: AwsRequest): Promise<string> {
  const change = changeOf(asked);
  if (change === undefined) return service.answer(world, asked);
  try {
    const body = service.answer(world, asked);
    await world.journal.record({ api: 'eks', ...change, accepted: true });
    return body;
  } catch (error) {
    if (error instanceof AwsError) await world.journal.record({ api: 'eks', ...change, accepted: false, error: error.code });
    throw error;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, contentType: string): void {
  send(response, status, JSON.stringify(body), contentType);
}

function sendXml(response: ServerResponse, status: number, body: string): void {
  send(response, status, body, 'text/xml');
}

function send(response: ServerResponse, status: number, body: string, contentType: string): void {
  response.writeHead(status, { 'Content-Type': contentType });
  response.end(body);
}
