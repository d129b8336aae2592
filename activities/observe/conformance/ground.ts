/** The outside of one cluster for conformance checks: the SDK's clients and Belay's way to API servers, each exchange told to a recorder. */
import { EKSClient } from '@aws-sdk/client-eks';
import { STSClient } from '@aws-sdk/client-sts';
import { type Caller, awsClientConfig } from '../../clients/aws/clients.ts';
import { createEksTokenSource } from '../../clients/aws/eks-token.ts';
import { connectionFactory } from '../../clients/kubernetes/connection.ts';
import { exchangeHttp } from '../../clients/kubernetes/http.ts';
import { createTransport } from '../../clients/kubernetes/transport.ts';
import { dateReader } from '../../clients/aws/server-date.ts';
import { currentSignal } from '../../runtime/context.ts';
import { describeEndpoint } from './endpoint.ts';
import type { ClusterSettings } from '../../contract/ports.ts';
import { CannotTry, type Ground, type KubeAnswer, type KubeMethod, type KubeOptions } from './check.ts';
import { textAt } from './look.ts';
import { recordCommands, type Recorder } from './recording.ts';
import { defined } from '../../../domain/core/defined.ts';
import { eksNameOf } from '../../../domain/core/cluster-ref.ts';

/** Statuses that are answers of an API server, and not transient failures of it. */
const ANSWERS = [400, 403, 404, 405, 406, 409, 410, 415, 422, 429, 500];

export interface GroundOptions {
  settings: ClusterSettings;
  access: Caller['access'];
  pollMs: number;
  limitMs: number;
  holdMs: number;
  recorder?: Recorder;
}

export interface OpenGround extends Ground {
  close(): Promise<void>;
}

/** Nothing is sent until a check asks. */
export function openGround({ settings, access, pollMs, limitMs, holdMs, recorder }: GroundOptions): OpenGround {
  // Here everything is said to AWS and compared with what AWS says.
  const ref = { ...settings.ref, name: eksNameOf(settings.ref) };
  const config = awsClientConfig(settings, { access, of: 'conformance' });
  const opened: { destroy(): void }[] = [];
  const watched = <C extends Parameters<typeof recordCommands>[0] & { destroy(): void }>(client: C): C => {
    opened.push(client);
    if (recorder !== undefined) recordCommands(client, recorder);
    return client;
  };
  const once = <T>(open: () => Promise<T>): (() => Promise<T>) => {
    let made: Promise<T> | undefined;
    return () => (made ??= open());
  };
  const eks = watched(new EKSClient(config));
  const sts = watched(new STSClient(config));
  const date = dateReader();
  eks.middlewareStack.add(date.middleware, date.options);
  const endpoint = once(() => describeEndpoint(eks, ref.name));
  const tokens = createEksTokenSource(sts, ref.name);
  const transport = createTransport(connectionFactory(settings, { endpoint, tokens }));

  async function kube(method: KubeMethod, path: string, options: KubeOptions = {}): Promise<KubeAnswer> {
    const { body, accept, mayBeForbidden = false } = options;
    const contentType = options.contentType ?? (method === 'PATCH' ? patchType(body) : 'application/json');
    const { status, text } = await transport.send(
      {
        method,
        path,
        doing: `${method} ${path}`,
        ...(body === undefined ? {} : { body: JSON.stringify(body), contentType }),
        ...defined({ accept }),
      },
      ANSWERS,
    );
    const answer = { status, body: parsed(text) };
    recorder?.exchange({ service: 'kubernetes', operation: `${method} ${path}`, request: body, status, answer: answer.body });
    if (status === 403 && !mayBeForbidden)
      throw new CannotTry(`a right is missing: ${textAt(answer.body, 'message') ?? `${method} ${path} is forbidden`}`, 'right');
    return answer;
  }

  return {
    ref,
    eks,
    sts,
    ec2: once(async () => watched(new (await import('@aws-sdk/client-ec2')).EC2Client(config))),
    autoScaling: once(async () => watched(new (await import('@aws-sdk/client-auto-scaling')).AutoScalingClient(config))),
    iam: once(async () => watched(new (await import('@aws-sdk/client-iam')).IAMClient(config))),
    ssm: once(async () => watched(new (await import('@aws-sdk/client-ssm')).SSMClient(config))),
    kms: once(async () => watched(new (await import('@aws-sdk/client-kms')).KMSClient(config))),
    quotas: once(async () => watched(new (await import('@aws-sdk/client-service-quotas')).ServiceQuotasClient(config))),
    cloudWatch: once(async () => watched(new (await import('@aws-sdk/client-cloudwatch')).CloudWatchClient(config))),
    eksDate: date.last,
    kube,
    kubeDate: () => transport.serverDate(),
    async statusOfToken(token) {
      if (settings.kubeconfig !== undefined)
        throw new CannotTry('belay.yaml names a kubeconfig for this cluster, which makes its own tokens');
      const { endpoint: server, caData } = await endpoint();
      const path = '/api';
      const { status } = await exchangeHttp({
        method: 'GET',
        url: server + path,
        options: { agent: false, ca: Buffer.from(caData, 'base64'), headers: { Authorization: `Bearer ${token}` } },
        headers: {},
        signal: AbortSignal.any([currentSignal(), AbortSignal.timeout(10_000)]),
      });
      recorder?.exchange({
        service: 'kubernetes',
        operation: `GET ${path} with another token`,
        request: undefined,
        status,
        answer: undefined,
      });
      return status;
    },
    pollMs,
    limitMs,
    holdMs,
    async close() {
      for (const client of opened) client.destroy();
      await transport.close();
    },
  };
}

const patchType = (body: unknown): string => (Array.isArray(body) ? 'application/json-patch+json' : 'application/merge-patch+json');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
