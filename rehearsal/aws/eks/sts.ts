/** STS over the query protocol: who am I, and assuming a role. */
import { randomUUID } from 'node:crypto';
import type { World } from '../../world/world.ts';
import { AwsError } from './errors.ts';
import { arnOf, type Identity } from './identities.ts';
import type { AssumedRole } from './state.ts';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const HOUR_SECONDS = 3600;
/** Of AssumeRole: https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const SHORTEST_SECONDS = 900;
const LONGEST_SECONDS = 12 * HOUR_SECONDS;

const escapeXml = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function answer(action: string, result: string): string {
  return `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${result}</${action}Result><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${action}Response>`;
}

const accountOf = ({ role }: Pick<AssumedRole, 'role'>): string => role.split(':')[4] ?? '';

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

export const hasEnded = (world: World, accessKeyId: string): boolean => Date.now() >= (assumedBy(world, accessKeyId)?.endsAtMs ?? Infinity);

/**
 * Throws what a service answers to a session that has ended, in its own words. EC2:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
 */
export function refuseEnded(world: World, accessKeyId: string, service: string): void {
  if (!hasEnded(world, accessKeyId)) return;
  if (service === 'ec2') throw new AwsError(400, 'RequestExpired', 'Request has expired.');
  const code = ['sts', 'iam', 'autoscaling'].includes(service) ? 'ExpiredToken' : 'ExpiredTokenException';
  throw new AwsError(403, code, 'The security token included in the request is expired');
}

/** How long a session may be: an hour where the one who asks is in a session already. */
function lifetimeOf(form: URLSearchParams, chained: boolean): number {
  const seconds = Number(form.get('DurationSeconds') ?? HOUR_SECONDS);
  if (chained && seconds > HOUR_SECONDS)
    throw new AwsError(
      400,
      'ValidationError',
      'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.',
    );
  if (!(seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS))
    throw new AwsError(400, 'ValidationError', `durationSeconds ${seconds} is not between ${SHORTEST_SECONDS} and ${LONGEST_SECONDS}`);
  return seconds;
}

/** Remembers whose the new credentials are. */
function assume(world: World, { role, session, tags, endsAtMs }: Omit<AssumedRole, 'accessKeyId' | 'atMs'>, caller: string): AssumedRole {
  const { eks } = world;
  const refuse = (action: string) =>
    new AwsError(403, 'AccessDenied', `User: ${caller} is not authorized to perform: ${action} on resource: ${role}`);
  if (!/^[\w+=,.@-]{2,64}$/.test(session)) throw new AwsError(400, 'ValidationError', `roleSessionName ${session} is invalid`);
  const closed = eks.unassumable?.find((each) => role.endsWith(each.role));
  if (closed !== undefined) {
    closed.asked += 1;
    throw refuse('sts:AssumeRole');
  }
  if (Object.keys(tags).length > 0 && eks.untaggable?.some((name) => role.endsWith(name)) === true) throw refuse('sts:TagSession');
  const accessKeyId = `ASIAREHEARSAL${String(eks.assumed.length).padStart(7, '0')}`;
  const assumed = { accessKeyId, role, session, tags, atMs: world.clock.nowMs(), endsAtMs };
  eks.assumed.push(assumed);
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
    if (known !== undefined) {
      const own = world.faults.inForce('eks:wrong-account') ? account : accountOf(known);
      return answer(
        action,
        `<Arn>${escapeXml(arnOfRole(known, own))}</Arn><UserId>AROAEXAMPLEBELAY:${escapeXml(known.session)}</UserId><Account>${own}</Account>`,
      );
    }
    return answer(
      action,
      `<Arn>arn:aws:sts::${account}:assumed-role/belay/rehearsal</Arn><UserId>AROAEXAMPLEBELAY:rehearsal</UserId><Account>${account}</Account>`,
    );
  }
  if (action === 'AssumeRole' || action === 'AssumeRoleWithWebIdentity') {
    const role = form.get('RoleArn') ?? '';
    const session = form.get('RoleSessionName') ?? '';
    if (!/^arn:aws[a-z-]*:iam::\d{12}:role\/.+/.test(role)) throw new AwsError(400, 'ValidationError', `${role} is invalid`);
    // Wall time, as clients see it: they compare it with the real clock. STS answers in whole seconds.
    const endsAtMs = Math.floor(Date.now() / 1000 + lifetimeOf(form, known !== undefined)) * 1000;
    const asked = { role, session, tags: tagsIn(form), endsAtMs };
    const { accessKeyId } = assume(world, asked, `arn:aws:sts::${account}:assumed-role/belay/rehearsal`);
    const arn = escapeXml(arnOfRole(asked, accountOf(asked)));
    const expiration = new Date(endsAtMs).toISOString();
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
