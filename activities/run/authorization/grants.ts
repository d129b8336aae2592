/**
 * Grants: a worker that has proved who asked for a run says so in a MAC over that very execution, and whatever changes something is done only with one.
 * Whoever starts a workflow or schedules an activity in another way has none.
 */
import { createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The execution of a run, as Temporal knows it. A run that is reset in Temporal has another run id, and no grant. */
export interface GrantedRun {
  namespace: string;
  workflowId: string;
  runId: string;
  workflowType: string;
}

export interface Grants {
  make(run: GrantedRun): string;
  /** The execution that the grant is for; undefined where no key of this worker has made it for that namespace and workflow. */
  read(grant: string, of: Pick<GrantedRun, 'namespace' | 'workflowId'>): GrantedRun | undefined;
}

/** RFC 5869: a key of its own for this purpose. */
const PURPOSE = 'belay-run-grant-1';
/** Without keys everybody who reaches Temporal can make a grant, as they can make every message. */
const NO_KEY = { id: 'none', key: Buffer.alloc(32) };

/** The first key makes, all verify. */
export function createGrants(keys: readonly { id: string; key: KeyObject }[]): Grants {
  const derivedOf = ({ id, key }: { id: string; key: KeyObject | Buffer }) => ({
    id,
    key: Buffer.from(hkdfSync('sha256', key, '', PURPOSE, 32)),
  });
  const [newest = NO_KEY, ...older] = keys;
  const first = derivedOf(newest);
  const derived = [first, ...older.map(derivedOf)];
  return {
    make: (run) => [first.id, run.workflowType, run.runId, macOf(first.key, run).toString('base64url')].join(':'),
    read: (grant, of) => {
      const [id, workflowType = '', runId = '', mac = ''] = grant.split(':');
      const run = { ...of, runId, workflowType };
      const given = Buffer.from(mac, 'base64url');
      const holds = derived.some((each) => each.id === id && isSame(given, macOf(each.key, run)));
      return holds ? run : undefined;
    },
  };
}

const macOf = (key: Buffer, { namespace, workflowId, runId, workflowType }: GrantedRun): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([PURPOSE, namespace, workflowId, runId, workflowType]))
    .digest();

const isSame = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);
