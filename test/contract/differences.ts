/** Where the stand-in differs from a real API server on purpose. Before answers are compared, nothing is taken out of them but what stands here. */

export interface Difference {
  what: string;
  why: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    what: 'There is no server-side apply: an apply patch is merged, strategically for built-in types. It notes who applied what, conflicts with nobody and takes away nothing.',
    why: 'Clients of the twin apply by force, and what they apply grows.',
  },
  {
    what: 'What controllers of the twin make has no `metadata.managedFields`, unless its marks say who delivers it. Managers beyond the tenth are not folded into `ancient-changes`.',
    why: 'A real server keeps none either where they were cleared, and answers stay small. Belay asks who delivers an object, or who has changed it by hand.',
  },
  {
    what: '`/openapi/v3` names kinds and says that the server validates; there are no schemas in it, and no `/openapi/v2`.',
    why: 'It is what kubectl needs to leave validation to the server.',
  },
  {
    what: 'Served are the groups and versions that an upgrade touches, and of subresources `status`, `scale` and `eviction`: no `log`, `exec`, `binding`, `token`, `proxy` or `ephemeralcontainers`. Discovery has no `storageVersionHash`, and no aggregated form: clients fall back to the other.',
    why: 'Nothing runs in the pods of the twin.',
  },
  {
    what: 'The types of fields of built-in kinds are not checked and unknown fields are kept; checked are names, labels, finalizers, selectors, replicas, containers, budgets, fixed fields and CRDs by their schemas. Rules in CEL, `anyOf`, `oneOf` and `not` are not evaluated.',
    why: 'That would be the whole of the API; these are the refusals that people meet.',
  },
  {
    what: 'There are no FlowSchemas and PriorityLevelConfigurations but those that clients make, and requests do not queue by them.',
    why: 'They are served for their version v1beta3, which 1.32 removed: clients that still call it show in the upgrade insight.',
  },
  {
    what: 'Times that are not set are absent, where a real server writes `null`; lists of custom objects have no empty `continue`.',
    why: 'Clients read both as nothing.',
  },
  {
    what: 'Descriptions of columns in Tables are short.',
    why: 'kubectl does not show them.',
  },
  {
    what: 'Conversion webhooks are not called over the network: what Karpenter’s would answer is built in, and given while its Service, a Ready pod and its certificate are there. A list or watch that they keep from being answered fails at once, without the seconds in which a real server fills its caches anew. Admission webhooks of Karpenter are not called.',
    why: 'Nothing runs in the pods of the twin; the refusals are those of a real server.',
  },
  {
    what: 'A CustomResourceDefinition is established, served and removed at once.',
    why: 'A real server takes a moment for each.',
  },
  {
    what: 'A request whose UID precondition fails in an eviction is refused at once; a real server tries for ten seconds.',
    why: 'The answer is the same.',
  },
  {
    what: 'Refusals print values as JSON, as 1.34 does; servers before 1.34 print composite values in the notation of Go.',
    why: 'Addresses in memory are among them.',
  },
  {
    what: 'Service accounts have no tokens, and pods no volume with one.',
    why: "Nothing in the twin's pods talks to the API server.",
  },
  {
    what: "A bearer token of an AWS identity is judged by the rights that the rehearsal was started with, and people's tokens may do everything. RBAC objects are evaluated for users that the server is told of.",
    why: 'EKS maps identities by access entries, which the twin keeps with its AWS stand-in.',
  },
  {
    what: 'Conditions of pods have no `observedGeneration`, and a pod that cannot be placed is not told what preemption would do.',
    why: 'Nobody waits for either.',
  },
  {
    what: 'Pods on a node that is not ready are not ready either, at once; a real node controller marks them when the kubelet has fallen silent.',
    why: "The twin's nodes fail in one way only: their Ready condition is False.",
  },
  {
    what: 'Namespaces have no ConfigMap `kube-root-ca.crt` and no ServiceAccount `default`, and nodes no annotation `node.alpha.kubernetes.io/ttl`.',
    why: 'Only what runs in pods asks for them.',
  },
];

const TTL = /(Annotations: +)node\.alpha\.kubernetes\.io\/ttl: 0/g;
const POD_CONDITIONS = new Set(['PodScheduled', 'DisruptionTarget', 'Initialized', 'ContainersReady', 'Ready']);
const OLD_VALUES = '1.33';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are open JSON
export function dropOnPurpose(value: any, minor: string): unknown {
  if (typeof value === 'string') return minor === OLD_VALUES ? withoutValues(value) : value.replace(TTL, '$1<none>');
  if (Array.isArray(value)) return value.map((item) => dropOnPurpose(item, minor));
  if (typeof value !== 'object' || value === null) return value;
  const result: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    // In every answer; the cases of managed-fields pick them out.
    if (key === 'managedFields') continue;
    if (inner === null && /Time(stamp)?$/.test(key)) continue;
    if (key === 'continue' && inner === '') continue;
    if (key === 'observedGeneration' && POD_CONDITIONS.has(value.type)) continue;
    if (key === 'description' && 'priority' in value) continue;
    result[key] = dropOnPurpose(inner, minor);
  }
  return result;
}

/** Values in refusals, whatever notation they are in. */
function withoutValues(text: string): string {
  return text
    .replace(TTL, '$1<none>')
    .replace(/(Invalid|Unsupported) value: .*?: (?=[a-z`'])/g, '$1 value: <value>: ')
    .replace(/Duplicate value: [^"].*$/g, 'Duplicate value: <value>')
    .replace(/at most 1 items\b/g, 'at most 1 item');
}
