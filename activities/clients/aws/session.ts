/**
 * For what AWS is asked: whose run, and whether it may change anything. Sessions of assumed roles are named after it, so that CloudTrail and the
 * audit log of an API server say which upgrade a call belongs to. Without it (command line, tests) the clients' own purpose counts.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Session {
  /** A run's id, or a word such as "check". */
  of: string;
  /** The activity, for messages. */
  activity: string;
  /** It changes something, by workflows/runtime/activity-effects.ts. */
  writes: boolean;
}

export type Access = 'read' | 'write';

const sessions = new AsyncLocalStorage<Session>();

export function inSession<T>(session: Session, work: () => Promise<T>): Promise<T> {
  return sessions.run(session, work);
}

export function currentSession(): Session | undefined {
  return sessions.getStore();
}

/** STS: 2 to 64 of these letters. https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const NOT_IN_NAMES = /[^\w+=,.@-]/g;
const LONGEST_NAME = 64;
/** Enough of a run's id to find it by. */
const SHORT_ID = 8;

/** `belay-prod-1a2b3c4d`, `belay-prod-check`: what it is for stays whole where the cluster's name is long. */
export function sessionName(cluster: string, of: string): string {
  const end = `-${isRunId(of) ? of.slice(0, SHORT_ID) : of}`.replace(NOT_IN_NAMES, '-').slice(0, 20);
  return `belay-${cluster}`.replace(NOT_IN_NAMES, '-').slice(0, LONGEST_NAME - end.length) + end;
}

/** Session tags of one AssumeRole; not transitive. Letters that tags may not have become "-". */
export function sessionTags(cluster: string, of: string, access: Access): { Key: string; Value: string }[] {
  const tags = { 'belay:cluster': cluster, 'belay:upgrade': of, 'belay:access': access };
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value: Value.replace(/[^\p{L}\p{Z}\p{N}_.:/=+\-@]/gu, '-').slice(0, 256) }));
}

const isRunId = (of: string): boolean => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(of);
