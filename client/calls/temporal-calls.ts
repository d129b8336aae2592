/** Calls to Temporal with a limit that holds even when the server is down, and their errors in one sentence. */
import {
  type Client,
  isGrpcCancelledError,
  isGrpcDeadlineError,
  isGrpcServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError } from '@temporalio/common';
import { messageOf } from '../../domain/core/unknown.ts';
import { UpgradesError } from './contract.ts';
import { GRPC } from './grpc-status.ts';
import {
  attributeMissing,
  credentialsRefused,
  noCurrentVersion,
  noNamespace,
  noWorker,
  temporalAnswered,
  temporalUnreachable,
} from './messages.ts';
import { setCurrentCommand, versionWithoutCurrent } from './worker-deployments.ts';

/** Starting and describing are answered by the server alone. */
export const SERVER_LIMIT_MS = 5_000;

/** The limit given to a call passed. */
class CallTimeoutError extends Error {
  constructor(limitMs: number) {
    super(`no answer within ${limitMs} ms`);
    this.name = 'CallTimeoutError';
  }
}

/** Runs a call with a gRPC deadline, and stops waiting for it shortly after even where gRPC does not. */
export async function within<T>(client: Client, limitMs: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CallTimeoutError(limitMs)), limitMs + 50);
  });
  const running = client.withDeadline(Date.now() + limitMs, call);
  running.catch(() => undefined); // heard below, or of no interest once the limit has passed
  try {
    return await Promise.race([running, limit]);
  } finally {
    clearTimeout(timer);
  }
}

export function isTimeout(error: unknown): boolean {
  return (
    error instanceof CallTimeoutError ||
    error instanceof WorkflowUpdateRPCTimeoutOrCancelledError ||
    isGrpcDeadlineError(error) ||
    isGrpcCancelledError(error)
  );
}

export function isNotFound(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError;
}

/** `host:port` of the client's server, for messages. */
function addressOf(client: Client): string {
  const connection: object = client.connection;
  const options: unknown = 'options' in connection ? connection.options : undefined;
  if (typeof options === 'object' && options !== null && 'address' in options && typeof options.address === 'string')
    return options.address;
  return 'its configured address';
}

/** Any error of the client as an UpgradesError whose message names the fix. */
export function translate(client: Client, error: unknown): UpgradesError {
  if (error instanceof UpgradesError) return error;
  const address = addressOf(client);
  const grpc = grpcError(error);
  if (isTimeout(error) || grpc?.code === GRPC.unavailable) {
    return new UpgradesError('unreachable', temporalUnreachable(address), { cause: error });
  }
  if (error instanceof NamespaceNotFoundError) {
    return new UpgradesError('unreachable', noNamespace(address, client.options.namespace), { cause: error });
  }
  if (grpc?.code === GRPC.unauthenticated || grpc?.code === GRPC.permissionDenied) {
    return new UpgradesError('unreachable', credentialsRefused(address, grpc.details), { cause: error });
  }
  const missing = missingAttributeOf(error);
  if (missing !== undefined) {
    return new UpgradesError('failed', attributeMissing(client.options.namespace, missing), { cause: error });
  }
  return new UpgradesError('failed', temporalAnswered(address, rootMessage(error)), { cause: error });
}

/** What an activity, a workflow or the server said: the outermost message that is no mere wrapper. Belay's own failures say the fix; their causes do not. */
export function rootMessage(error: unknown): string {
  let current = error;
  while (
    !(current instanceof ApplicationFailure) &&
    current instanceof Error &&
    current.cause instanceof Error &&
    current.cause.message !== ''
  )
    current = current.cause;
  return messageOf(current);
}

/** The search attribute that the namespace does not know, where that is why the call or query was refused. */
export function missingAttributeOf(error: unknown): string | undefined {
  const grpc = grpcError(error);
  return grpc?.code === GRPC.invalidArgument ? /\bBelay[A-Z]\w+/.exec(grpc.details)?.[0] : undefined;
}

function grpcError(error: unknown): { code: number; details: string } | undefined {
  if (isGrpcServiceError(error)) return error;
  return error instanceof Error && error.cause !== undefined ? grpcError(error.cause) : undefined;
}

/** A worker that has not taken the first task after this long is not there. */
export const FIRST_TASK_MS = 12_000;

/** Started and scheduled are the server's own events: a further one, but for the end, needs a worker. */
export async function refuseWithoutWorker(
  client: Client,
  { historyLength, status }: WorkflowExecutionDescription,
  taskQueue: string,
): Promise<void> {
  if (historyLength > (status.name === 'RUNNING' ? 2 : 3)) return;
  throw new UpgradesError('no-worker', (await standstill(client, taskQueue)) ?? noWorker(taskQueue));
}

/** Why workers that poll get no runs, with the command that mends it; undefined: they do, or Temporal does not say. Never throws. */
export async function standstill(client: Client, taskQueue: string): Promise<string | undefined> {
  const version = await within(client, SERVER_LIMIT_MS, () => versionWithoutCurrent(client, taskQueue)).catch(() => undefined);
  return version === undefined ? undefined : noCurrentVersion(version.deploymentName, setCurrentCommand(version, client.options.namespace));
}
