/** `people:` in belay.yaml: which AWS identities a person has, so that the command line knows who decides. */
import { z } from 'zod';
import { text } from '../base/fields.ts';
import type { ConfigProblem } from '../base/errors.ts';
import { canonicalIdentity, overlap, PERSON, type People, RIGHT_IDENTITY } from '../../identities.ts';
import { RIGHT_PERSON } from './approvals.ts';

const identity = text(RIGHT_IDENTITY).refine((arn) => canonicalIdentity(arn) !== undefined, { error: RIGHT_IDENTITY });

export const peopleSchema = z
  .record(
    text(RIGHT_PERSON, PERSON),
    z.strictObject({
      aws: z
        .array(identity, { error: 'write a list of ARNs' })
        .min(1, { error: 'write at least one ARN' })
        .describe('ARNs of IAM users, roles and sessions that are this person and nobody else'),
    }),
    { error: 'write people by their Slack user ids, or without Slack by names such as sam, each with aws' },
  )
  .describe(
    'AWS identities by Slack user id, without Slack by a name: `belay decide` proves who you are with a GetCallerIdentity request bound to the decision. A session is as trustworthy as its trust policy: IAM Identity Center roles name the person, others only if sts:RoleSessionName is pinned',
  );

export type PeopleInput = z.output<typeof peopleSchema>;

/** In the form in which identities are compared; undefined where nobody is named. */
export function peopleFrom(input: PeopleInput | undefined): People | undefined {
  if (input === undefined || Object.keys(input).length === 0) return undefined;
  return Object.fromEntries(Object.entries(input).map(([person, { aws }]) => [person, aws.map((arn) => canonicalIdentity(arn) ?? arn)]));
}

/** Two people with one identity would be one vote for either, or two. */
export function sharedIdentities(people: People | undefined): ConfigProblem[] {
  const all = Object.entries(people ?? {}).flatMap(([person, identities]) => identities.map((identity) => ({ person, identity })));
  return all.flatMap(({ person, identity }, index) => {
    const other = all.slice(0, index).find((one) => one.person !== person && overlap(one.identity, identity));
    if (other === undefined) return [];
    const message = `gives ${identity} to ${person}, and ${other.person} has ${other.identity}: the same caller would be both; name single sessions or users`;
    return [{ path: `people.${person}.aws`, message }];
  });
}
