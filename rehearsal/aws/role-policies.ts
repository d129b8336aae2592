/** The policies of controllers' roles in IAM: those that a role has itself, and those that are attached. Shapes as in botocore's data/iam/2010-05-08. */
import { AwsError } from './eks/errors.ts';
import type { ControllerRole } from './eks/state.ts';
import type { World } from '../world/world.ts';
import { idOf } from './instances.ts';
import { cut } from './query.ts';
import type { XmlValue } from './xml.ts';

type Answer = Record<string, XmlValue>;
type Policy = NonNullable<ControllerRole['policies']>[number];

const VERSION = 'v1';
/** Percent-encoded, as IAM gives every document. */
const encoded = ({ document }: Policy): string => encodeURIComponent(JSON.stringify(document));
const accountOf = ({ arn }: ControllerRole): string => arn.split(':')[4] ?? '';
const arnOf = (role: ControllerRole, { name }: Policy): string => `arn:aws:iam::${accountOf(role)}:policy/${name}`;

export function managedPoliciesOf(role: ControllerRole): { PolicyName: string; PolicyArn: string }[] {
  const managed = (role.policies ?? []).filter((policy) => policy.managed === true);
  return managed.map((policy) => ({ PolicyName: policy.name, PolicyArn: arnOf(role, policy) }));
}

/** A page of a list of IAM, which says whether there is another one. */
export function paged(member: string, all: readonly XmlValue[], form: URLSearchParams): Answer {
  const { items, token } = cut(all, form, { size: 'MaxItems', token: 'Marker' });
  return { [member]: items, IsTruncated: token !== undefined, Marker: token };
}

/** `role` undefined: one that has no policies of its own. */
export function listRolePolicies(role: ControllerRole | undefined, form: URLSearchParams): Answer {
  const own = (role?.policies ?? []).filter((policy) => policy.managed !== true);
  return paged(
    'PolicyNames',
    own.map(({ name }) => name),
    form,
  );
}

export function getRolePolicy(role: ControllerRole | undefined, form: URLSearchParams): Answer {
  const [RoleName, PolicyName] = [form.get('RoleName') ?? '', form.get('PolicyName') ?? ''];
  const policy = role?.policies?.find((each) => each.managed !== true && each.name === PolicyName);
  if (policy === undefined) throw new AwsError(404, 'NoSuchEntity', `The role policy with name ${PolicyName} cannot be found.`);
  return { RoleName, PolicyName, PolicyDocument: encoded(policy) };
}

export function getPolicy(world: World, form: URLSearchParams): Answer {
  const { policy, arn } = requirePolicy(world, form);
  return {
    Policy: {
      PolicyName: policy.name,
      PolicyId: idOf('ANPA', arn).replace('-', '').toUpperCase(),
      Arn: arn,
      Path: '/',
      DefaultVersionId: VERSION,
      AttachmentCount: 1,
      IsAttachable: true,
    },
  };
}

export function getPolicyVersion(world: World, form: URLSearchParams): Answer {
  const { policy } = requirePolicy(world, form);
  return { PolicyVersion: { Document: encoded(policy), VersionId: form.get('VersionId') ?? VERSION, IsDefaultVersion: true } };
}

function requirePolicy(world: World, form: URLSearchParams): { policy: Policy; arn: string } {
  const arn = form.get('PolicyArn') ?? '';
  for (const role of world.eks.controllerRoles) {
    const policy = (role.policies ?? []).find((each) => each.managed === true && arnOf(role, each) === arn);
    if (policy !== undefined) return { policy, arn };
  }
  throw new AwsError(404, 'NoSuchEntity', `Policy ${arn} was not found.`);
}
