/** What a pod asks of its node, as the API server's helper counts it (k8s.io/component-helpers/resource: PodRequests). */
import { parseQuantity } from '../../quantity.ts';
import type { KubeObject } from '../../store.ts';

/** Cores, bytes, and other resources by name: nvidia.com/gpu. */
export interface Requests {
  cpu: number;
  memory: number;
  more: Record<string, number>;
}

interface Container {
  restartPolicy?: string;
  resources?: { requests?: Record<string, string> };
}

/** Those that every node of the twin has enough of. */
const NOT_COUNTED = ['ephemeral-storage', 'pods'];

const known = new WeakMap<object, Requests>();

/** The containers and sidecars together, or the init container that needs more with the sidecars before it; and the overhead. Cached by the pod's spec, for stored objects never change. */
export function requestsOf(pod: KubeObject): Requests {
  const cached = known.get(pod.spec);
  if (cached !== undefined) return cached;
  const running = (pod.spec.containers ?? []).reduce(plus, none());
  let sidecars = none();
  let most = none();
  for (const container of pod.spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      sidecars = plus(sidecars, container);
      most = larger(most, sidecars);
    } else most = larger(most, plus(sidecars, container));
  }
  const requests = together(larger(together(running, sidecars), most), read(pod.spec.overhead));
  known.set(pod.spec, requests);
  return requests;
}

export const none = (): Requests => ({ cpu: 0, memory: 0, more: {} });

const plus = (sum: Requests, container: Container): Requests => together(sum, read(container.resources?.requests));

function read(list: Record<string, unknown> | undefined): Requests {
  const requests = none();
  for (const [name, amount] of Object.entries(list ?? {})) {
    const value = parseQuantity(amount) ?? 0;
    if (name === 'cpu' || name === 'memory') requests[name] = value;
    else if (!NOT_COUNTED.includes(name) && !name.startsWith('hugepages-')) requests.more[name] = value;
  }
  return requests;
}

export const together = (a: Requests, b: Requests): Requests => combined(a, b, (x, y) => x + y);
const larger = (a: Requests, b: Requests): Requests => combined(a, b, Math.max);

function combined(a: Requests, b: Requests, of: (x: number, y: number) => number): Requests {
  const names = new Set([...Object.keys(a.more), ...Object.keys(b.more)]);
  const more: Record<string, number> = {};
  for (const name of names) more[name] = of(a.more[name] ?? 0, b.more[name] ?? 0);
  return { cpu: of(a.cpu, b.cpu), memory: of(a.memory, b.memory), more };
}
