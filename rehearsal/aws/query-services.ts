/** Auto Scaling and IAM over the query protocol. Shapes as in botocore's data/autoscaling/2011-01-01 and data/iam/2010-05-08. */
import { randomUUID } from 'node:crypto';
import { AwsError } from './eks/errors.ts';
import { nodeRoleOf } from './eks/render.ts';
import type { ControllerRole } from './eks/state.ts';
import type { World } from '../world/world.ts';
import { describeAutoScalingGroups } from './auto-scaling.ts';
import { cancelInstanceRefresh, describeInstanceRefreshes, rollbackInstanceRefresh, startInstanceRefresh } from './instance-refreshes.ts';
import { idOf } from './instances.ts';
import { answerOf, type Paging, type Part } from './merged.ts';
import {
  completeLifecycleAction,
  deleteLifecycleHook,
  describeLifecycleHooks,
  putLifecycleHook,
  recordLifecycleActionHeartbeat,
} from './lifecycle-hooks.ts';
import { getPolicy, getPolicyVersion, getRolePolicy, listRolePolicies, managedPoliciesOf, paged } from './role-policies.ts';
import { numbered } from './query.ts';
import { type XmlValue, xml } from './xml.ts';

type Answer = Record<string, XmlValue>;
type Action = (world: World, form: URLSearchParams) => Answer;

interface QueryService {
  namespace: string;
  actions: Record<string, Action>;
}

/** Roles that the cluster and its node groups name, with who may assume them and what is attached. */
export function rolesOf(world: World): { arn: string; trusts: string; policies: string[]; own?: ControllerRole }[] {
  const { eks } = world;
  const nodeRoles = new Set(eks.nodeGroups.map((group) => nodeRoleOf(eks, group)));
  return [
    ...(eks.cluster.roleGone === true
      ? []
      : [{ arn: eks.cluster.roleArn, trusts: 'eks.amazonaws.com', policies: ['AmazonEKSClusterPolicy'] }]),
    ...[...nodeRoles].map((arn) => ({
      arn,
      trusts: 'ec2.amazonaws.com',
      policies: ['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly', 'AmazonEKS_CNI_Policy'],
    })),
    ...eks.controllerRoles.map((own) => ({ arn: own.arn, trusts: 'pods.eks.amazonaws.com', policies: [], own })),
  ];
}

function requireRole(world: World, form: URLSearchParams) {
  const name = form.get('RoleName') ?? '';
  const role = rolesOf(world).find(({ arn }) => arn.split('/').at(-1) === name);
  if (role === undefined) throw new AwsError(404, 'NoSuchEntity', `The role with name ${name} cannot be found.`);
  return { ...role, name };
}

function getRole(world: World, form: URLSearchParams): Answer {
  const { name, arn, trusts, own } = requireRole(world, form);
  const trust = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Principal: { Service: trusts }, Action: 'sts:AssumeRole' }] };
  return {
    Role: {
      Path: '/',
      RoleName: name,
      RoleId: idOf('AROA', arn).replace('-', '').toUpperCase(),
      Arn: arn,
      CreateDate: new Date(world.eks.cluster.createdAtMs),
      AssumeRolePolicyDocument: encodeURIComponent(JSON.stringify(trust)),
      MaxSessionDuration: 3600,
      ...(own?.boundary === undefined
        ? {}
        : { PermissionsBoundary: { PermissionsBoundaryType: 'Policy', PermissionsBoundaryArn: own.boundary } }),
    },
  };
}

function listAttachedRolePolicies(world: World, form: URLSearchParams): Answer {
  const { policies, own } = requireRole(world, form);
  const ofAmazon = policies.map((PolicyName) => ({ PolicyName, PolicyArn: `arn:aws:iam::aws:policy/${PolicyName}` }));
  const AttachedPolicies = [...ofAmazon, ...(own === undefined ? [] : managedPoliciesOf(own))];
  return paged('AttachedPolicies', AttachedPolicies, form);
}

/** Whether a role's policies allow each action, on all resources. */
function simulatePrincipalPolicy(world: World, form: URLSearchParams): Answer {
  const arn = form.get('PolicySourceArn') ?? '';
  const role = world.eks.controllerRoles.find((each) => each.arn === arn);
  if (role === undefined) throw new AwsError(404, 'NoSuchEntity', `The role with name ${arn.split('/').at(-1)} cannot be found.`);
  const EvaluationResults = numbered(form, 'ActionNames.member').map((EvalActionName) => ({
    EvalActionName,
    EvalResourceName: '*',
    EvalDecision: role.allows.includes(EvalActionName) ? 'allowed' : 'implicitDeny',
    MatchedStatements: [],
    MissingContextValues: [],
  }));
  return paged('EvaluationResults', EvaluationResults, form);
}

const SERVICES: Record<'autoscaling' | 'iam', QueryService> = {
  autoscaling: {
    namespace: 'http://autoscaling.amazonaws.com/doc/2011-01-01/',
    actions: {
      DescribeAutoScalingGroups: describeAutoScalingGroups,
      StartInstanceRefresh: startInstanceRefresh,
      DescribeInstanceRefreshes: describeInstanceRefreshes,
      CancelInstanceRefresh: cancelInstanceRefresh,
      RollbackInstanceRefresh: rollbackInstanceRefresh,
      DescribeLifecycleHooks: describeLifecycleHooks,
      PutLifecycleHook: putLifecycleHook,
      DeleteLifecycleHook: deleteLifecycleHook,
      CompleteLifecycleAction: completeLifecycleAction,
      RecordLifecycleActionHeartbeat: recordLifecycleActionHeartbeat,
    },
  },
  iam: {
    namespace: 'https://iam.amazonaws.com/doc/2010-05-08/',
    actions: {
      GetRole: getRole,
      ListRolePolicies: (world, form) => listRolePolicies(requireRole(world, form).own, form),
      GetRolePolicy: (world, form) => getRolePolicy(requireRole(world, form).own, form),
      ListAttachedRolePolicies: listAttachedRolePolicies,
      GetPolicy: getPolicy,
      GetPolicyVersion: getPolicyVersion,
      SimulatePrincipalPolicy: simulatePrincipalPolicy,
    },
  },
};

const PAGING: Record<keyof typeof SERVICES, Paging> = {
  autoscaling: { size: 'MaxRecords', token: 'NextToken', next: 'NextToken' },
  iam: { size: 'MaxItems', token: 'Marker', next: 'Marker' },
};

/** Answers one action with XML. Throws AwsError in the service's words. */
export function queryService(parts: readonly Part[], service: keyof typeof SERVICES, form: URLSearchParams): string {
  const { namespace, actions } = SERVICES[service];
  const action = form.get('Action') ?? '';
  const run = actions[action];
  if (run === undefined) throw new AwsError(400, 'InvalidAction', `Could not find operation ${action} for version ${form.get('Version')}`);
  const body = xml(
    { [`${action}Result`]: answerOf(parts, form, PAGING[service], run), ResponseMetadata: { RequestId: randomUUID() } },
    'member',
  );
  return `<${action}Response xmlns="${namespace}">${body}</${action}Response>`;
}

export function queryError(service: keyof typeof SERVICES, error: AwsError): string {
  const Type = error.status >= 500 ? 'Receiver' : 'Sender';
  const body = xml({ Error: { Type, Code: error.code, Message: error.message }, RequestId: randomUUID() }, 'member');
  return `<ErrorResponse xmlns="${SERVICES[service].namespace}">${body}</ErrorResponse>`;
}
