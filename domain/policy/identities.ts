/** Which person an AWS identity is: what `people:` in belay.yaml says, and how an ARN that STS names is compared with it. */

/** AWS identities by person, as `canonicalIdentity` writes them. */
export type People = Readonly<Record<string, readonly string[]>>;

const SLACK_USER = /^[UW][A-Z0-9]{2,}$/;
/** What people may be called where there is no Slack; none of these is an id of Slack. */
const PLAIN_NAME = /^[a-z][a-z0-9._-]{0,39}$/;

/** Has it the form of a Slack user id? */
export const isSlackUser = (person: string): boolean => SLACK_USER.test(person);
/** In belay.yaml and on the command line: a Slack user id, or a plain name. */
export const PERSON = new RegExp(`${SLACK_USER.source}|${PLAIN_NAME.source}`);
export const isPlainName = (person: string): boolean => PLAIN_NAME.test(person);

const USER = /^arn:aws[a-z-]*:iam::\d{12}:user\/[\w+=,.@/-]+$/;
const SESSION = /^(arn:aws[a-z-]*):sts::(\d{12}):assumed-role\/([\w+=,.@-]+\*?)\/([\w+=,.@-]+|\*)$/;
const ROLE = /^(arn:aws[a-z-]*):iam::(\d{12}):role\/(?:[\w+=,.@/-]+\/)?([\w+=,.@-]+\*?)$/;
/** Roles that IAM Identity Center makes of a permission set: nobody else can make one of that name. The end changes when the set is made anew. */
const PERMISSION_SET = /^AWSReservedSSO_[\w+=,.@-]+_\*$/;

export const RIGHT_IDENTITY =
  'write the ARN of an IAM user, of a role (whoever assumes it), or of one session such as arn:aws:sts::123456789012:assumed-role/Admin/sam; * stands only at the end of an AWSReservedSSO_ role';

/**
 * The form in which identities are compared; undefined for what is none. A user's ARN is left as it is. STS names a role without its path and
 * with the session: `arn:aws:iam::…:role/path/Admin` becomes `arn:aws:sts::…:assumed-role/Admin/*`, any session of it.
 * Documentation of ARNs: docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
 */
export function canonicalIdentity(arn: string): string | undefined {
  if (USER.test(arn)) return arn;
  const role = ROLE.exec(arn);
  const [, start, account, name, session] = role === null ? (SESSION.exec(arn) ?? []) : [...role, '*'];
  if (start === undefined || name === undefined) return undefined;
  if (name.includes('*') && !PERMISSION_SET.test(name)) return undefined;
  return `${start}:sts::${account}:assumed-role/${name}/${session}`;
}

/** The people whose identities the ARN fits: letter by letter, but for a `*`. */
export function peopleOf(people: People, arn: string): string[] {
  return Object.entries(people).flatMap(([person, identities]) => (identities.some((identity) => fits(identity, arn)) ? [person] : []));
}

/** Can the same caller fit both? */
export function overlap(a: string, b: string): boolean {
  const [of, other] = [a.split('/'), b.split('/')];
  return of.length === other.length && of.every((part, index) => meet(part, other[index] ?? ''));
}

const beginning = (part: string): string | undefined => (part.endsWith('*') ? part.slice(0, -1) : undefined);

function meet(a: string, b: string): boolean {
  return (
    a === b ||
    (beginning(a) !== undefined && b.startsWith(beginning(a) ?? '')) ||
    (beginning(b) !== undefined && a.startsWith(beginning(b) ?? ''))
  );
}

function fits(identity: string, arn: string): boolean {
  return !arn.includes('*') && overlap(identity, arn);
}

/** What people may read instead of the ARN: a user's name, a session's. */
export function identityName(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}
