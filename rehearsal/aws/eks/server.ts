/** One HTTP server for all AWS services that are reached through AWS_ENDPOINT_URL: EKS and what a look at a cluster needs beside it, on their wire formats. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { messageOf } from '../../../domain/core/unknown.ts';
import { actionOf, alsoAsked, type AwsRequest, changeOf, type Service, serviceByScope, valuesIn } from '../services.ts';
import type { Part } from '../merged.ts';
import { close, listen } from '../../world/core/loopback.ts';
import { asSeenBySts, sufferAws } from '../../world/faults/apis/aws.ts';
import type { World } from '../../world/world.ts';
import { take } from './api-rate.ts';
import { callerOf, presignerOf, refuseUnsigned } from './caller.ts';
import { AwsError } from './errors.ts';
import { identityOf, verifyPresigned } from './identities.ts';
import { parseJson, readBody } from './http.ts';
import { eksOperation } from './routes.ts';
import { accountOf, type Caller, clusterNamed, clustersSeen, partsOf } from './routing.ts';
import { inShortPages } from './short-pages.ts';
import { assumedBy, refuseEnded, sts, stsError } from './sts.ts';
import { noCluster } from './updates.ts';

export interface AwsServer {
  url: string;
  close(): Promise<void>;
}

export interface AwsServerOptions {
  world: World;
  /** Other clusters, of any account and region: what is asked about one of them is answered from its world. */
  neighbours?: readonly World[];
  /** Refuses an action on a cluster to an access key where it says true. Default: everything is allowed. */
  forbidden?: (action: string, accessKeyId: string, world: World) => boolean;
}

/** Listens on 127.0.0.1, on a free port. Answers have world time as their Date, by which clients judge the times in them; refusals have none. */
export async function startAwsServer(options: AwsServerOptions): Promise<AwsServer> {
  const { world, neighbours = [] } = options;
  // Whoever has assumed a role is known in every account.
  for (const { eks } of neighbours) eks.assumed = world.eks.assumed;
  const server = createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      world.journal.tell(`the AWS stand-in failed: ${messageOf(error)}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  return { url: `http://127.0.0.1:${await listen(server)}`, close: () => close(server) };
}

const PASS_ROLE = 'iam:PassRole';

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

/** A request, once it is known who sends it and which clusters that account has in the region. */
interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  raw: string;
  caller: Caller;
  seen: readonly World[];
}

async function answer(options: AwsServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { world: home, neighbours = [] } = options;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const raw = await readBody(request);
  const caller = callerOf(request, url);
  const { service } = caller;
  const other = serviceByScope(service);
  // Node's own would be wall time.
  response.sendDate = false;
  response.setHeader('Date', home.clock.now().toUTCString());
  response.setHeader('x-amzn-RequestId', randomUUID());
  try {
    refuseUnsigned(request, url);
    refuseEnded(home, caller.accessKeyId, service);
    const asked: Asked = { request, response, url, raw, caller, seen: clustersSeen([home, ...neighbours], caller) };
    if (service === 'sts') answerSts([home, ...neighbours], asked);
    else if (other !== undefined) await answerOther(options, other, asked);
    else if (service === 'eks') await answerEks(options, asked);
    else throw new AwsError(400, 'UnknownOperationException', `The stand-in has no service ${service}.`);
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

function answerSts(worlds: readonly [World, ...World[]], { request, response, url, raw, caller: { accessKeyId } }: Asked): void {
  const [home] = worlds;
  const form = new URLSearchParams(raw);
  const presigner = identityOf(presignerOf(url));
  // Proofs are made and read by processes on wall time.
  if (presigner !== undefined) verifyPresigned(url, request.headers, presigner, Date.now());
  const [person, role] = [presigner ?? identityOf(accessKeyId), assumedBy(home, accessKeyId)];
  const own = inAccount(worlds, accountOf(home, accessKeyId));
  sendXml(response, 200, sts(asSeenBySts(own), form.has('Action') ? form : url.searchParams, person, role));
}

/** The first world as a caller of that account sees it, with the roles that any of the worlds has closed. */
function inAccount(worlds: readonly [World, ...World[]], account: string): World {
  const [home] = worlds;
  const unassumable = worlds.flatMap(({ eks }) => eks.unassumable ?? []);
  const untaggable = worlds.flatMap(({ eks }) => eks.untaggable ?? []);
  return { ...home, eks: { ...home.eks, unassumable, untaggable, cluster: { ...home.eks.cluster, account } } };
}

async function answerOther(
  { forbidden }: AwsServerOptions,
  service: Service,
  { request, response, url, raw, caller, seen }: Asked,
): Promise<void> {
  const { accessKeyId, region } = caller;
  const asked = { target: String(request.headers['x-amz-target'] ?? ''), query: url.searchParams, body: raw };
  const named = partsOf(seen, valuesIn(asked));
  if (named.length === 0) throw new AwsError(400, 'OptInRequired', `The rehearsal has no cluster of this account in region ${region}.`);
  for (const action of [actionOf(service, asked), ...alsoAsked(named, service, asked)]) {
    const closed = named.find(({ world }) => forbidden?.(action, accessKeyId, world));
    if (closed !== undefined) throw notAuthorized(closed.world, action, accessKeyId, service.denial);
  }
  send(response, 200, await journalled(named, service, asked), service.contentType);
}

async function answerEks(
  { world: home, forbidden }: AwsServerOptions,
  { request, response, url, raw, caller, seen }: Asked,
): Promise<void> {
  const { accessKeyId } = caller;
  const { action, run } = eksOperation(request.method ?? 'GET', url.pathname);
  const name = clusterNamed(url.pathname);
  const named = seen.find(({ eks }) => eks.cluster.name === name);
  // What is about no cluster is the same in all regions, but for their list.
  const world = named ?? seen[0] ?? home;
  const refuse = (what: string): void => {
    if (forbidden?.(what, accessKeyId, world) === true) throw notAuthorized(world, what, accessKeyId);
  };
  refuse(action);
  // A role that a request names is passed to EKS.
  if (parseJson(raw).serviceAccountRoleArn !== undefined) refuse(PASS_ROLE);
  if (name !== undefined && named === undefined && url.pathname.startsWith('/clusters/')) throw noCluster(name);
  take(world.eks.apiRate);
  const call = { action, method: request.method ?? 'GET', path: url.pathname };
  const refusal = ({ status, code, message }: { status: number; code: string; message: string }) => new AwsError(status, code, message);
  const clusters = seen.map(({ eks }) => eks.cluster.name).toSorted();
  const serve = () => run(world, { query: url.searchParams, body: parseJson(raw), clusters });
  const body = await inShortPages(world.faults.inForce('eks:short-pages'), () => sufferAws(world, call, response, refusal, serve));
  if (body !== undefined) sendJson(response, 200, body, 'application/json');
}

/** A change is in the journal before it is answered. */
async function journalled(parts: readonly Part[], service: Service, asked: AwsRequest): Promise<string> {
  const change = changeOf(asked);
  const [first] = parts;
  if (change === undefined || first === undefined)
    return inShortPages(first?.world.faults.inForce('eks:short-pages') === true, () => service.answer(parts, asked));
  const { world } = first;
  try {
    const body = service.answer([first], asked);
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
