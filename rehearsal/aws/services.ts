/** AWS services beside EKS and STS: which one a request is for, its answer and its errors on the wire. */
import type { AwsError } from './eks/errors.ts';
import { parseJson } from './eks/http.ts';
import { ssm } from './eks/ssm.ts';
import type { World } from '../world/world.ts';
import { cloudWatch } from './metrics/cloudwatch.ts';
import { ec2, ec2Error } from './ec2.ts';
import { jsonService } from './json-services.ts';
import { versionNamed } from './launch-templates.ts';
import type { Part } from './merged.ts';
import { queryError, queryService } from './query-services.ts';

export interface AwsRequest {
  /** X-Amz-Target, "AmazonSSM.GetParameter"; empty where there is none. */
  target: string;
  query: URLSearchParams;
  body: string;
}

interface Service {
  /** As IAM names it: ec2. */
  prefix: string;
  contentType: string;
  /** `parts`: of all clusters that the request is about. */
  answer(parts: readonly Part[], request: AwsRequest): string;
  /** Body of an error; JSON services also name it in a header. */
  error(error: AwsError): string;
  /** HTTP status and code that the service refuses rights with. */
  denial: { status: number; code: string };
}

const JSON_TYPE = 'application/x-amz-json-1.1';

const operationOf = ({ target }: AwsRequest): string => target.split('.')[1] ?? '';
const formOf = ({ query, body }: AwsRequest): URLSearchParams => (query.has('Action') ? query : new URLSearchParams(body));

const json = (
  prefix: string,
  answer: (worlds: [World, ...World[]], operation: string, body: Record<string, unknown>) => Record<string, unknown>,
  contentType = JSON_TYPE,
): Service => ({
  prefix,
  contentType,
  answer: (parts, request) => JSON.stringify(answer(worldsOf(parts), operationOf(request), parseJson(request.body))),
  // Service Quotas writes its member with a capital letter.
  error: ({ code, message }) => JSON.stringify({ __type: code, [prefix === 'servicequotas' ? 'Message' : 'message']: message }),
  denial: { status: 400, code: 'AccessDeniedException' },
});

function worldsOf([first, ...others]: readonly Part[]): [World, ...World[]] {
  if (first === undefined) throw new Error('a request is about one cluster at least');
  return [first.world, ...others.map(({ world }) => world)];
}

const query = (name: 'autoscaling' | 'iam'): Service => ({
  prefix: name,
  contentType: 'text/xml',
  answer: (parts, request) => queryService(parts, name, formOf(request)),
  error: (error) => queryError(name, error),
  denial: { status: 403, code: 'AccessDenied' },
});

/** By the scope of the signature. */
const SERVICES: Readonly<Record<string, Service>> = {
  monitoring: json('cloudwatch', cloudWatch, 'application/x-amz-json-1.0'),
  // What these say is the same for all clusters, or names one.
  ssm: json('ssm', ([world], operation, body) => ssm(world, operation, body)),
  servicequotas: json('servicequotas', ([world], operation, body) => jsonService(world, 'ServiceQuotasV20190624', operation, body)),
  kms: json('kms', ([world], operation, body) => jsonService(world, 'TrentService', operation, body)),
  autoscaling: query('autoscaling'),
  iam: query('iam'),
  ec2: {
    prefix: 'ec2',
    contentType: 'text/xml;charset=UTF-8',
    answer: (parts, request) => ec2(parts, formOf(request)),
    error: ec2Error,
    denial: { status: 403, code: 'UnauthorizedOperation' },
  },
};

export const serviceByScope = (scope: string): Service | undefined => SERVICES[scope];

/** The action as IAM names it: ec2:DescribeSubnets. */
export function actionOf(service: Service, request: AwsRequest): string {
  return `${service.prefix}:${operationOf(request) || (formOf(request).get('Action') ?? '')}`;
}

/** Rights that AWS asks beside the action's own: for the launch that a template version is set for, and for a parameter as its image. */
export function alsoAsked(parts: readonly Part[], service: Service, request: AwsRequest): string[] {
  const form = formOf(request);
  const action = actionOf(service, request);
  const byParameter = (image: string | null | undefined): string[] =>
    image?.startsWith('resolve:ssm:') === true ? ['ssm:GetParameters'] : [];
  if (action === 'ec2:CreateLaunchTemplateVersion') return byParameter(form.get('LaunchTemplateData.ImageId'));
  const id = form.get('DesiredConfiguration.LaunchTemplate.LaunchTemplateId');
  if (action !== 'autoscaling:StartInstanceRefresh' || id === null) return [];
  const version = form.get('DesiredConfiguration.LaunchTemplate.Version') ?? '$Default';
  const templates = parts.flatMap(({ world }) => world.eks.network.launchTemplates.filter((each) => each.id === id));
  return ['ec2:RunInstances', ...templates.flatMap((template) => byParameter(versionNamed(template, version)?.imageId))];
}

/** What a request may name resources by: every value in it. */
export function valuesIn(request: AwsRequest): string[] {
  return request.target === '' ? [...formOf(request).values()] : textsIn(parseJson(request.body));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What a request changes, for the journal; undefined: it reads, or only keeps something waiting. */
export function changeOf(request: AwsRequest): { operation: string; resource: string; token?: string } | undefined {
  const form = formOf(request);
  const operation = form.get('Action') ?? '';
  const resource = form.get('AutoScalingGroupName') ?? form.get('LaunchTemplateId') ?? form.get('LaunchTemplateName');
  if (resource === null || /^(Describe|Get|List|Simulate|Record)/.test(operation)) return undefined;
  const token = form.get('ClientToken');
  return { operation, resource, ...(token === null ? {} : { token }) };
}

export type { Service };
