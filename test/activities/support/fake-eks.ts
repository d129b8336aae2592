/** A tiny EKS of the tests' own: one cluster, its node groups, add-ons and updates, with faults on demand. Real SDK clients talk to it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AwsClients, createAwsClients } from '../../../activities/clients/aws/clients.ts';
import { CLUSTER } from '../../support/facts.ts';

export interface FakeUpdate {
  id: string;
  type: string;
  status: string;
  /** Epoch seconds. */
  createdAt: number;
  params: { type: string; value: string }[];
  errors?: { errorCode: string; errorMessage: string; resourceIds: string[] }[];
  token?: string;
  /** "": the cluster's own; else "nodegroup/…" or "addon/…". */
  of: string;
}

interface Request {
  operation: string;
  body: Record<string, unknown>;
}

export interface FakeEks {
  url: string;
  version: string;
  status: string;
  arn: string;
  nodeGroups: Record<string, Record<string, unknown>>;
  addOns: Record<string, Record<string, unknown>>;
  updates: FakeUpdate[];
  requests: Request[];
  /** Answers of an operation before its real one: an error name, or "lose" (done, but the connection ends before the answer). */
  faults: { operation: string; fault: string }[];
  /** More routes, by "METHOD path"; undefined: not handled. */
  extra(method: string, path: string, body: Record<string, unknown>): unknown;
  aws: AwsClients;
  /** Epoch seconds of its clock: the real one when it started, since the SDK repeats a failed call once where a clock is off by five minutes. */
  nowSeconds: number;
  close(): Promise<void>;
}

/** Epoch seconds: when the first test of this process began, which is about now for whatever EKS tells of itself. */
export const NOW_SECONDS = Math.floor(Date.now() / 1000);

export async function startFakeEks(): Promise<FakeEks> {
  const server = createServer((request, response) => void serve(fake, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  Object.assign(process.env, { AWS_ENDPOINT_URL: url, AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example-secret' });
  const aws = createAwsClients({ ref: CLUSTER });
  const fake: FakeEks = {
    url,
    version: '1.32',
    status: 'ACTIVE',
    arn: `arn:aws:eks:${CLUSTER.region}:${CLUSTER.account}:cluster/${CLUSTER.name}`,
    nodeGroups: {},
    addOns: {},
    updates: [],
    requests: [],
    faults: [],
    nowSeconds: Math.floor(Date.now() / 1000),
    extra: () => undefined,
    aws,
    close: async () => {
      aws.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
  return fake;
}

/** An update as EKS would list it. */
export function update(change: Partial<FakeUpdate> & { id: string }): FakeUpdate {
  return {
    type: 'VersionUpdate',
    status: 'InProgress',
    createdAt: NOW_SECONDS,
    params: [{ type: 'Version', value: '1.33' }],
    of: '',
    ...change,
  };
}

async function serve(fake: FakeEks, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let raw = '';
  for await (const chunk of request) raw += String(chunk);
  const url = new URL(request.url ?? '/', fake.url);
  const body: Record<string, unknown> = raw === '' ? {} : JSON.parse(raw);
  const method = request.method ?? 'GET';
  response.setHeader('Date', new Date(fake.nowSeconds * 1000).toUTCString());
  const [operation, run] = route(fake, method, url, body);
  fake.requests.push({ operation, body });
  const planned = fake.faults.findIndex((fault) => fault.operation === operation);
  const fault = planned < 0 ? undefined : fake.faults.splice(planned, 1)[0]?.fault;
  if (fault !== undefined && fault !== 'lose') return sendError(response, fault);
  const answer = run();
  if (fault === 'lose') return void response.destroy();
  if (answer === undefined) return sendError(response, 'ResourceNotFoundException');
  if (typeof answer === 'string') return sendError(response, answer);
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(answer));
}

const STATUS: Record<string, number> = {
  ResourceNotFoundException: 404,
  ResourceInUseException: 409,
  ThrottlingException: 429,
  ServerException: 500,
  AccessDeniedException: 403,
  ServiceUnavailableException: 503,
};

function sendError(response: ServerResponse, name: string): void {
  response.writeHead(STATUS[name] ?? 400, { 'Content-Type': 'application/json', 'x-amzn-errortype': name });
  response.end(JSON.stringify({ message: `${name} of the fake` }));
}

function route(fake: FakeEks, method: string, url: URL, body: Record<string, unknown>): [string, () => unknown] {
  const path = url.pathname.split('/').slice(2).map(decodeURIComponent);
  const [, kind, name, action] = path;
  const of = url.searchParams.has('nodegroupName')
    ? `nodegroup/${url.searchParams.get('nodegroupName')}`
    : url.searchParams.has('addonName')
      ? `addon/${url.searchParams.get('addonName')}`
      : '';
  if (method === 'GET' && url.pathname.startsWith('/clusters/') && kind === undefined) {
    return ['DescribeCluster', () => ({ cluster: { name: CLUSTER.name, arn: fake.arn, version: fake.version, status: fake.status } })];
  }
  if (kind === 'updates' && method === 'POST')
    return ['UpdateClusterVersion', () => begin(fake, '', 'VersionUpdate', [{ type: 'Version', value: String(body['version']) }], body)];
  if (kind === 'updates' && name === undefined)
    return ['ListUpdates', () => ({ updateIds: fake.updates.filter((one) => one.of === of).map((one) => one.id) })];
  if (kind === 'updates') return ['DescribeUpdate', () => found(fake, of, name)];
  if (kind === 'node-groups' && action === 'update-version') {
    return [
      'UpdateNodegroupVersion',
      () => begin(fake, `nodegroup/${name}`, 'VersionUpdate', [{ type: 'Version', value: String(body['version']) }], body),
    ];
  }
  if (kind === 'node-groups' && name !== undefined)
    return ['DescribeNodegroup', () => fake.nodeGroups[name] && { nodegroup: fake.nodeGroups[name] }];
  if (kind === 'addons' && action === 'update') {
    return [
      'UpdateAddon',
      () => begin(fake, `addon/${name}`, 'AddonUpdate', [{ type: 'AddonVersion', value: String(body['addonVersion']) }], body),
    ];
  }
  if (kind === 'addons' && name !== undefined) return ['DescribeAddon', () => fake.addOns[name] && { addon: fake.addOns[name] }];
  return [`${method} ${url.pathname}`, () => fake.extra(method, url.pathname, body)];
}

function found(fake: FakeEks, of: string, id: string | undefined): unknown {
  const one = fake.updates.find((candidate) => candidate.id === id && candidate.of === of);
  return one && { update: one };
}

/** The same token answers with the same update; another one is refused while an update runs. */
function begin(fake: FakeEks, of: string, type: string, params: FakeUpdate['params'], body: Record<string, unknown>): unknown {
  const token = String(body['clientRequestToken']);
  const known = fake.updates.find((one) => one.token === token && one.of === of);
  if (known !== undefined) return { update: known };
  if (fake.updates.some((one) => one.of === of && one.status === 'InProgress')) return 'ResourceInUseException';
  const one = update({ id: `made-${fake.updates.length + 1}`, type, params, token, of });
  fake.updates.push(one);
  return { update: one };
}
