/** Which lists and maps are owned as a whole, and by which keys the items of the others are told apart: `listType`, `mapType` and `structType` of the API. */
import { fieldSchema, isMap, type Schema } from '../schemas/schema.ts';

/** The place of a value: of a built-in kind by the names of its fields, of a custom one by its schema (undefined: all lists are atomic). */
export type FieldType = { kind: string; field: string; parent: string } | { schema: Schema | undefined; isRoot?: boolean };

export type ListType = 'atomic' | 'set' | readonly string[];

const NAME = ['name'];
const KEYED: Record<string, readonly string[]> = {
  containers: NAME,
  initContainers: NAME,
  ephemeralContainers: NAME,
  volumes: NAME,
  env: NAME,
  imagePullSecrets: NAME,
  secrets: NAME,
  resourceClaims: NAME,
  claims: NAME,
  schedulingGates: NAME,
  webhooks: NAME,
  matchConditions: NAME,
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  hostAliases: ['ip'],
  podIPs: ['ip'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  conditions: ['type'],
  addresses: ['type'],
  ownerReferences: ['uid'],
};
/** Kinds whose list of this name is owned as a whole all the same. */
const ATOMIC_IN: Record<string, readonly string[]> = {
  ports: ['EndpointSlice', 'Endpoints', 'NetworkPolicy'],
  conditions: ['Job'],
  addresses: ['EndpointSlice', 'Endpoints'],
};
const ATOMIC_MAPS = new Set([
  'selector',
  'labelSelector',
  'namespaceSelector',
  'objectSelector',
  'podSelector',
  'nodeSelector',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'scaleTargetRef',
  'roleRef',
  'secretKeyRef',
  'configMapKeyRef',
  'fieldRef',
  'resourceFieldRef',
  'secretRef',
  'involvedObject',
  'regarding',
  'related',
]);
/** Lists whose items are owned as a whole. */
const ATOMIC_ITEMS = new Set(['ownerReferences', 'imagePullSecrets', 'secrets']);

export function fieldOf(type: FieldType, field: string): FieldType {
  if ('kind' in type) return { kind: type.kind, field, parent: type.field };
  // Its metadata is as everywhere.
  if (type.isRoot === true && field === 'metadata') return { kind: '', field, parent: 'custom' };
  return { schema: type.schema === undefined ? undefined : fieldSchema(type.schema, field) };
}

export function itemOf(type: FieldType): FieldType {
  if ('kind' in type) return { kind: type.kind, field: `${type.field}[]`, parent: type.field };
  return { schema: type.schema?.items };
}

export function isAtomicMap(type: FieldType): boolean {
  if ('schema' in type) return type.schema?.['x-kubernetes-map-type'] === 'atomic';
  return ATOMIC_MAPS.has(type.field) || (type.field.endsWith('[]') && ATOMIC_ITEMS.has(type.parent));
}

export function listType(type: FieldType, items: readonly unknown[]): ListType {
  const found = 'schema' in type ? ofSchema(type.schema) : ofName(type, items);
  if (typeof found === 'string' || items.every((item) => isMap(item) && found.some((key) => key in item))) return found;
  return 'atomic';
}

function ofSchema(schema: Schema | undefined): ListType {
  const type = schema?.['x-kubernetes-list-type'];
  if (type === 'set') return 'set';
  return type === 'map' ? (schema?.['x-kubernetes-list-map-keys'] ?? 'atomic') : 'atomic';
}

function ofName({ kind, field, parent }: { kind: string; field: string; parent: string }, items: readonly unknown[]): ListType {
  if (field === 'finalizers' && parent === 'metadata') return 'set';
  if (ATOMIC_IN[field]?.includes(kind) === true) return 'atomic';
  if (field === 'ports') return [items.some((item) => isMap(item) && 'containerPort' in item) ? 'containerPort' : 'port', 'protocol'];
  return KEYED[field] ?? 'atomic';
}

const STRUCTS = new Set([
  'strategy',
  'updateStrategy',
  'template',
  'jobTemplate',
  'loadBalancer',
  'nodeInfo',
  'daemonEndpoints',
  'kubeletEndpoint',
]);
const IN_TEMPLATES = new Set(['metadata', 'spec']);

/** What Go has of a built-in kind where JSON has nothing: structs that are no pointers, and lists and texts that are written when empty. */
export function zeroOf(type: FieldType): object | string | number | null | undefined {
  if ('schema' in type) return undefined;
  const { field, parent, kind } = type;
  if (parent === '') return ['metadata', 'spec', 'status'].includes(field) ? {} : undefined;
  if (STRUCTS.has(field) || (IN_TEMPLATES.has(field) && parent.endsWith('emplate'))) return {};
  if (field === 'resources' && (parent.endsWith('ontainers[]') || kind === 'PersistentVolumeClaim')) return {};
  if (field === 'names' && kind === 'CustomResourceDefinition') return {};
  if (field === 'containers') return null;
  if (parent === 'nodeInfo') return '';
  return parent === 'kubeletEndpoint' ? 0 : undefined;
}
