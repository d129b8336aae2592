/** One HTTP server for all AWS services that are reached through AWS_ENDPOINT_URL: EKS, STS and SSM, on their wire formats. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { close, listen } from '../loopback.ts';
import { asSeenBySts, sufferAws } from '../faults/aws.ts';
import type { World } from '../world/world.ts';
import { AwsError } from './errors.ts';
import { parseJson, readBody } from './http.ts';
import { eksOperation } from './routes.ts';
import { ssm } from './ssm.ts';
import { sts, stsError } from './sts.ts';

export interface AwsServer {
  url: string;
  close(): Promise<void>;
}

export interface AwsServerOptions {
  world: World;
  /** Refuses an EKS action to an access key where it says true. Default: everything is allowed. */
  forbidden?: (action: string, accessKeyId: string) => boolean;
}

/** Listens on 127.0.0.1, on a free port. The Date header is world time. */
export async function startAwsServer(options: AwsServerOptions): Promise<AwsServer> {
  const { world } = options;
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      world.journal.tell(`the AWS stand-in failed: ${error instanceof Error ? error.message : String(error)}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => close(server) };
}

type Service = 'eks' | 'sts' | 'ssm';

/** By target header, form action or, for REST, the credential's scope. */
function serviceOf(request: IncomingMessage, url: URL, body: string): Service | undefined {
  if (String(request.headers['x-amz-target'] ?? '').startsWith('AmazonSSM.')) return 'ssm';
  if (url.pathname === '/' && (url.searchParams.has('Action') || new URLSearchParams(body).has('Action'))) return 'sts';
  const scope = /Credential=[^/]+\/\d{8}\/[^/]+\/([^/]+)\/aws4_request/.exec(request.headers.authorization ?? '')?.[1];
  return scope === 'eks' || scope === undefined ? 'eks' : undefined;
}

function refuseUnsigned(request: IncomingMessage, url: URL): void {
  const signed = /^AWS4-HMAC-SHA256 Credential=.+, ?SignedHeaders=.+, ?Signature=[0-9a-f]{64}$/.test(request.headers.authorization ?? '');
  if (!signed && !url.searchParams.has('X-Amz-Signature')) {
    throw new AwsError(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
}

/** In the words of AWS. */
function notAuthorized(world: World, action: string, accessKeyId: string): AwsError {
  const { account } = world.eks.cluster;
  return new AwsError(
    403,
    'AccessDeniedException',
    `User: arn:aws:iam::${account}:user/${accessKeyId} is not authorized to perform: ${action}`,
  );
}

async function answer({ world, forbidden }: AwsServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const raw = await readBody(request);
  const service = serviceOf(request, url, raw);
  response.setHeader('Date', world.clock.now().toUTCString());
  response.setHeader('x-amzn-RequestId', randomUUID());
  try {
    refuseUnsigned(request, url);
    if (service === 'sts') {
      const form = new URLSearchParams(raw);
      sendXml(response, 200, sts(asSeenBySts(world), form.has('Action') ? form : url.searchParams));
    } else if (service === 'ssm') {
      const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      sendJson(response, 200, ssm(world, operation, parseJson(raw)), 'application/x-amz-json-1.1');
    } else if (service === 'eks') {
      const { action, run } = eksOperation(request.method ?? 'GET', url.pathname);
      const accessKeyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (forbidden?.(action, accessKeyId) === true) throw notAuthorized(world, action, accessKeyId);
      const call = { action, method: request.method ?? 'GET', path: url.pathname };
      const refusal = ({ status, code, message }: { status: number; code: string; message: string }) => new AwsError(status, code, message);
      const serve = () => run(world, { query: url.searchParams, body: parseJson(raw) });
      const body = await sufferAws(world, call, response, refusal, serve);
      if (body !== undefined) sendJson(response, 200, body, 'application/json');
    } else {
      throw new AwsError(400, 'UnknownOperationException', 'The stand-in has EKS, STS and SSM only.');
    }
  } catch (error) {
    const known = error instanceof AwsError ? error : new AwsError(500, 'ServerException', String(error));
    if (service === 'sts') return sendXml(response, known.status, stsError(known));
    response.setHeader('x-amzn-errortype', known.code);
    if (service === 'ssm')
      return sendJson(response, known.status, { __type: known.code, message: known.message }, 'application/x-amz-json-1.1');
    sendJson(response, known.status, { ...known.members, message: known.message }, 'application/json');
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown, contentType: string): void {
  response.writeHead(status, { 'Content-Type': contentType });
  response.end(JSON.stringify(body));
}

function sendXml(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'text/xml' });
  response.end(body);
}
