/** Faults of Kubernetes requests, for the API server's stand-in. */
import type { ServerResponse } from 'node:http';
import { DetailedError } from '../../../kubernetes/failures.ts';
import type { ResourceRequest } from '../../../kubernetes/http/request.ts';
import { gone } from '../../../kubernetes/http/status.ts';
import { type KubeObject, type ObjectStore, StoreError } from '../../../kubernetes/store.ts';
import { typeKey } from '../../../kubernetes/types.ts';
import type { FaultBoard } from './board.ts';
import { liesAbout } from '../lies.ts';
import { meddlingWith } from '../side-effects.ts';
import { suffer } from '../suffer.ts';

export type KubernetesFates = Pick<FaultBoard, 'meet' | 'orders' | 'takes'>;

/** A JSON patch without what it tests. */
function dropTests(request: ResourceRequest): void {
  if (request.verb !== 'patch' || !request.contentType.startsWith('application/json-patch')) return;
  const operations: { op?: string }[] = JSON.parse(request.body);
  request.body = JSON.stringify(operations.filter(({ op }) => op !== 'test'));
}

/** So that a second page is needed. */
const SMALL_PAGE = 2;
/** Lists that were cut into small pages: their next one has expired. */
const cut = new WeakSet<object>();

const READS = ['get', 'list', 'watch'];

/** True: nobody must answer any more. Throws the refusals. A lost answer is served all the same, on a connection that is gone. */
export async function sufferKubernetes(of: {
  fates?: KubernetesFates;
  store: ObjectStore;
  request: ResourceRequest;
  response: ServerResponse;
}): Promise<boolean> {
  const { fates, store, request, response } = of;
  if (fates === undefined) return false;
  const { verb, type, name, namespace } = request;
  if (liesAbout({ faults: fates }, 'kubernetes', 'test-ignored')) dropTests(request);
  if (verb === 'list' && cut.has(fates) && request.query.has('continue')) {
    cut.delete(fates);
    throw gone('The provided continue parameter is too old to display a consistent list result.');
  }
  const resource = [type.plural, namespace, name].filter((part) => part !== undefined).join('/');
  const fate = fates.meet({ api: 'kubernetes', operation: `${verb} ${type.plural}`, resource, mutates: !READS.includes(verb) });
  if (fate?.kind === 'lose') response.destroy();
  if (fate?.kind === 'expire') {
    request.query.set('limit', String(SMALL_PAGE));
    cut.add(fates);
  }
  // Not before the patch is sure to be applied.
  if (verb === 'patch') request.alsoChange = (object) => meddle(fates, type.plural, object);
  if (fate?.kind === 'overtake' && name !== undefined && store.get(typeKey(type), name, namespace) !== undefined) {
    store.update(typeKey(type), name, namespace, (copy) => {
      copy.metadata.labels = { ...copy.metadata.labels, 'example.com/edited': String(store.resourceVersion()) };
    });
  }
  if (fate?.kind !== 'refuse' && fate?.kind !== 'hang') return false;
  const refusal = ({ status, code, message, retryAfterSec }: { status: number; code: string; message: string; retryAfterSec?: number }) =>
    retryAfterSec === undefined
      ? new StoreError(status, code, message)
      : new DetailedError(status, code, message, { retryAfterSeconds: retryAfterSec });
  await suffer(fate, response, refusal, () => undefined);
  return true;
}

function meddle(fates: KubernetesFates, plural: string, object: KubeObject): void {
  const order = fates.takes('eks:side-effect', (each) => meddlingWith(plural, each) !== undefined);
  if (order !== undefined) meddlingWith(plural, order)?.(object);
}
