/** STS over the query protocol: who am I, and assuming a role. */
import { randomUUID } from 'node:crypto';
import type { World } from '../world/world.ts';
import { AwsError } from './errors.ts';
import { arnOf, type Identity } from './identities.ts';

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
const HOUR_SECONDS = 3600;

const escapeXml = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function answer(action: string, result: string): string {
  return `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${result}</${action}Result><ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata></${action}Response>`;
}

/** Answers one STS action with XML; `person`: who has signed it, where that is one of the rehearsal's. Throws AwsError for actions that are not there. */
export function sts(world: World, form: URLSearchParams, person?: Identity): string {
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
    return answer(
      action,
      `<Arn>arn:aws:sts::${account}:assumed-role/belay/rehearsal</Arn><UserId>AROAEXAMPLEBELAY:rehearsal</UserId><Account>${account}</Account>`,
    );
  }
  if (action === 'AssumeRole' || action === 'AssumeRoleWithWebIdentity') {
    const role = form.get('RoleArn') ?? '';
    const session = form.get('RoleSessionName') ?? '';
    if (!/^arn:aws[a-z-]*:iam::\d{12}:role\/.+/.test(role)) throw new AwsError(400, 'ValidationError', `${role} is invalid`);
    const name = escapeXml(role.split(':role/')[1] ?? '');
    const expiration = new Date(world.clock.nowMs() + Number(form.get('DurationSeconds') ?? HOUR_SECONDS) * 1000).toISOString();
    return answer(
      action,
      `<Credentials><AccessKeyId>ASIAREHEARSAL0000000</AccessKeyId><SecretAccessKey>rehearsal</SecretAccessKey><SessionToken>rehearsal</SessionToken><Expiration>${expiration}</Expiration></Credentials>` +
        `<AssumedRoleUser><AssumedRoleId>AROAEXAMPLEBELAY:${escapeXml(session)}</AssumedRoleId><Arn>arn:aws:sts::${account}:assumed-role/${name}/${escapeXml(session)}</Arn></AssumedRoleUser>`,
    );
  }
  throw new AwsError(400, 'InvalidAction', `Could not find operation ${action} for version ${form.get('Version') ?? '2011-06-15'}`);
}

export function stsError(error: AwsError): string {
  const side = error.status >= 500 ? 'Receiver' : 'Sender';
  return `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>${side}</Type><Code>${error.code}</Code><Message>${escapeXml(error.message)}</Message></Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`;
}
