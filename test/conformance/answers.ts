/** A ground whose outsides answer as a test says, so that one finds out what the twin does not do. */
import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import type { Ground, KubeAnswer } from '../../activities/observe/conformance/check.ts';
import { tryBeliefs } from '../../activities/observe/conformance/run.ts';
import { CLUSTER } from '../support/facts.ts';

type Answer = (input: Record<string, unknown>) => unknown;

export interface Outside {
  /** Each operation by the name of its command; what is not named is answered with nothing. */
  aws?: Record<string, Answer>;
  /** Bodies by path, with its query, or by method and path; answers where they are not 200. Any other one is 404. */
  kube?: Record<string, unknown>;
  ground?: Partial<Ground>;
}

const SETTINGS = { region: CLUSTER.region, credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'none' } };

export function groundOf({ aws = {}, kube = {}, ground = {} }: Outside): Ground {
  const answering = <C extends object>(client: C): C =>
    Object.assign(client, {
      send: async (command: { constructor: { name: string }; input: Record<string, unknown> }): Promise<unknown> =>
        aws[command.constructor.name.replace(/Command$/, '')]?.(command.input) ?? {},
    });
  const sts = new STSClient(SETTINGS);
  return {
    ref: CLUSTER,
    eks: answering(new EKSClient(SETTINGS)),
    // A signature asks the client itself where STS is; nothing is sent for it.
    sts: 'GetCallerIdentity' in aws ? answering(sts) : sts,
    ec2: async () => answering(new EC2Client(SETTINGS)),
    autoScaling: async () => answering(new AutoScalingClient(SETTINGS)),
    iam: async () => answering(new IAMClient(SETTINGS)),
    ssm: async () => answering(new SSMClient(SETTINGS)),
    kms: async () => answering(new KMSClient(SETTINGS)),
    quotas: async () => answering(new ServiceQuotasClient(SETTINGS)),
    cloudWatch: async () => answering(new CloudWatchClient(SETTINGS)),
    eksDate: () => undefined,
    kubeDate: () => undefined,
    kube: async (method, path) => answerOf(kube[`${method} ${path}`] ?? kube[path] ?? answered(404, { message: 'not found' })),
    statusOfToken: async () => 401,
    pollMs: 1,
    limitMs: 200,
    holdMs: 1,
    ...ground,
  };
}

class Answered {
  readonly answer: KubeAnswer;

  constructor(status: number, body: unknown) {
    this.answer = { status, body };
  }
}

/** What an API server answers with another status than 200. */
export const answered = (status: number, body: unknown = {}): Answered => new Answered(status, body);

const answerOf = (given: unknown): KubeAnswer => (given instanceof Answered ? given.answer : { status: 200, body: given });

/** What AWS refuses with. */
export function refusing(name: string, message = ''): Answer {
  return () => {
    throw Object.assign(new Error(message), { name, $metadata: { httpStatusCode: 400 } });
  };
}

/** "broken: the answer has no Date" */
export async function verdictOn(id: string, outside: Outside): Promise<string> {
  const [tried] = await tryBeliefs(groundOf(outside), { only: [id], disposable: true });
  const verdict = tried?.verdict;
  if (verdict === undefined) throw new Error(`there is no belief ${id}`);
  return verdict.kind === 'untried' ? `untried, ${verdict.because}: ${verdict.why}` : `${verdict.kind}: ${verdict.saw}`;
}
