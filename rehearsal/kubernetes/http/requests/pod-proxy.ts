/** pods/proxy: GET of a path on a port of a pod, through the API server (k8s.io/apimachinery, pkg/util/proxy). */
import { DetailedError } from '../../failures.ts';
import type { ObjectStore } from '../../store.ts';
import type { Plain } from '../health.ts';
import type { PodPrograms } from './port-forward.ts';
import type { RequestInfo } from '../request-info.ts';

/** undefined: another resource is asked for. Throws the API server's refusals. */
export function proxyAnswer(
  { verb, path, resource }: RequestInfo,
  { store, programs }: { store: ObjectStore; programs: PodPrograms },
): Plain | undefined {
  if (resource?.plural !== 'pods' || resource.subresource !== 'proxy' || verb !== 'get') return undefined;
  // NAME, NAME:PORT or SCHEME:NAME:PORT.
  const [, name = '', port = '80'] = /^(?:https?:)?([^:]+)(?::(\d+))?$/.exec(resource.name ?? '') ?? [];
  const pod = store.get('pods', name, resource.namespace);
  if (pod === undefined) throw new DetailedError(404, 'NotFound', `pods "${name}" not found`, { name, kind: 'pods' });
  const inside = path.slice(path.indexOf('/proxy') + '/proxy'.length);
  const answer = pod['status']?.phase === 'Running' ? programs(pod, Number(port), inside === '' ? '/' : inside) : undefined;
  if (answer !== undefined) return { status: answer.status, text: answer.body };
  const address = `${pod['status']?.podIP ?? '10.0.0.1'}:${port}`;
  throw new DetailedError(503, 'ServiceUnavailable', `error trying to reach service: dial tcp ${address}: connect: connection refused`, {});
}
