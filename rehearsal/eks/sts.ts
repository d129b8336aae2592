/** STS over the query protocol: who am I, and assuming a role. */
import { randomUUID } from 'node:crypto';
import type { World } from '../world/world.ts';
import { AwsError } from './errors.ts';
import { arnOf, type Identity } from './identities.ts';
import type { AssumedRole } from './state.ts';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const HOUR_SECONDS = 3600;

const escapeXml = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function answer(action: string, result: string): string {
  return `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${result}</${action}Result><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${action}Response>`;
}

const arnOfRole = ({ role, session }: Pick<AssumedRole, 'role' | 'session'>, account: string): string =>
  `arn:aws:sts::${account}:assumed-role/${role.split('/').at(-1) ?? ''}/${session}`;

/** Who signs with this access key, of those who have assumed a role. */
export const assumedBy = (world: World, accessKeyId: string): AssumedRole | undefined =>
  world.eks.assumed.find((known) => known.accessKeyId === accessKeyId);

/** Tags.member.N.Key and .Value of the query protocol. */
function tagsIn(form: URLSearchParams): Record<string, string> {
  const keys = [...form.keys()].filter((key) => /^Tags\.member\.\d+\.Key$/.test(key));
  return Object.fromEntries(keys.map((key) => [form.get(key) ?? '', form.get(key.replace(/Key$/, 'Value')) ?? '']));
}

/** Remembers whose the new credentials are. */
function assume(world: World, { role, session, tags }: Pick<AssumedRole, 'role' | 'session' | 'tags'>, caller: string): AssumedRole {
  if (!/^[\w+=,.@-]{2,64}$/.test(session)) throw new AwsError(400, 'ValidationError', `roleSessionName ${session} is invalid`);
  if (Object.keys(tags).length > 0 && world.eks.untaggable?.some((name) => role.endsWith(name)) === true)
    throw new AwsError(403, 'AccessDenied', `User: ${caller} is not authorized to perform: sts:TagSession on resource: ${role}`);
  const accessKeyId = `ASIAREHEARSAL${String(world.eks.assumed.length).padStart(7, '0')}`;
  const assumed = { accessKeyId, role, session, tags, atMs: world.clock.nowMs() };
  world.eks.assumed.push(assumed);
  return assumed;
}

/**
 * Answers one STS action with XML; `person`: who has signed it, where that is one of the rehearsal's; `known`: the role that has. Throws AwsError for
 * actions that are not there.
 */
export function sts(world: World, form: URLSearchParams, person?: Identity, known?: AssumedRole): string {
  const { account } = world.eks.cluster;
  const action = form.get('Action') ?? '';
  if (action === 'GetCallerIdentity') {
    if (person !== undefined) {
      const session = person.session.slice(person.session.lastIndexOf('/') + 1);
      return answer(
        action,
        `<Arn>${arnOf(person, account)}</Arn><UserId>AROAEXAMPLEPEOPLE:${escapeXml(session)}</UserId><Account>${account}</Account>`,
      );
    }
    if (known !== undefined)
      return answer(
        action,
        `<Arn>${escapeXml(arnOfRole(known, account))}</Arn><UserId>AROAEXAMPLEBELAY:${escapeXml(known.session)}</UserId><Account>${account}</Account>`,
      );
    return answer(
      action,
      `<Arn>arn:aws:sts::${account}:assumed-role/belay/rehearsal</Arn><UserId>AROAEXAMPLEBELAY:rehearsal</UserId><Account>${account}</Account>`,
    );
  }
  if (action === 'AssumeRole' || action === 'AssumeRoleWithWebIdentity') {
    const role = form.get('RoleArn') ?? '';
    const session = form.get('RoleSessionName') ?? '';
    if (!/^arn:aws[a-z-]*:iam::\d{12}:role\/.+/.test(role)) throw new AwsError(400, 'ValidationError', `${role} is invalid`);
    const { accessKeyId } = assume(world, { role, session, tags: tagsIn(form) }, `arn:aws:sts::${account}:assumed-role/belay/rehearsal`);
    const arn = escapeXml(arnOfRole({ role, session }, account));
    // Wall time, as clients see it: they compare it with the real clock.
    const expiration = new Date(Date.now() + Number(form.get('DurationSeconds') ?? HOUR_SECONDS) * 1000).toISOString();
    return answer(
      action,
      `<Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>rehearsal</SecretAccessKey><SessionToken>rehearsal</SessionToken><Expiration>${expiration}</Expiration></Credentials>` +
        `<AssumedRoleUser><AssumedRoleId>AROAEXAMPLEBELAY:${escapeXml(session)}</AssumedRoleId><Arn>${arn}</Arn></AssumedRoleUser>`,
    );
  }
  throw new AwsError(400, 'InvalidAction', `Could not find operation ${action} for version ${form.get('Version') ?? '2011-06-15'}`);
}

export function stsError(error: AwsError): string {
  const side = error.status >= 500 ? 'Receiver' : 'Sender';
  return `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>${side}</Type><Code>${error.code}</Code><Message>${escapeXml(error.message)}</Message></Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`;
}
