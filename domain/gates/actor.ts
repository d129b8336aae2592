/** Who acts on an upgrade: people and machines, as gates and audit records name them. */

export interface Actor {
  /** slack: verified by Slack, or by AWS where `aws` is there. cli: operating-system user and host, unverified. */
  kind: 'slack' | 'cli';
  /** Slack user id, or user@host. */
  id: string;
  name?: string;
  /** ARN by which AWS knows a person who acted by command line. */
  aws?: string;
  /** Nothing proves that it was this person: for records of what was refused. */
  unproven?: true;
}

/** By verified id, never by name. Unverified command lines are all one: each could name whatever user and host it likes. */
export function isSamePerson(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && (a.kind === 'cli' || a.id === b.id);
}

/** What people call somebody: the display name where there is one. */
export function actorName(actor: Actor): string {
  const name = actor.name ?? actor.id;
  return actor.unproven === true ? `somebody who claims to be ${name}` : name;
}
