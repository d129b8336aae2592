/** Label and field selectors as the API server reads them, in query strings and in specs. */
import { badRequest } from './failures.ts';
import { parseRequirements } from './label-selectors.ts';
import type { KubeObject } from './store.ts';

export type ObjectFilter = (object: KubeObject) => boolean;

interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Does a selector from a spec match these labels? An absent selector matches nothing, an empty one everything. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Record<string, string> | undefined): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels?.[key] !== value) return false;
  return (selector.matchExpressions ?? []).every((requirement) => holds(requirement, labels));
}

/** One `matchExpressions` entry of a label selector or of node affinity. */
export function holds(
  requirement: { key: string; operator: string; values?: string[] },
  labels: Record<string, string> | undefined,
): boolean {
  const value = labels?.[requirement.key];
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** `a=b,c!=d,e in (f,g),h,!i`. Throws BadRequest when it cannot be read. */
export function parseLabelSelector(text: string): ObjectFilter {
  const requirements = parseRequirements(text);
  return (object) => requirements.every((requirement) => holds(requirement, object.metadata.labels));
}

/** Paths that real servers can select on, by plural; all others know only the name and the namespace. */
const SELECTABLE: Record<string, string[]> = {
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
  ],
  nodes: ['spec.unschedulable'],
  namespaces: ['status.phase'],
  secrets: ['type'],
  jobs: ['status.successful'],
  replicasets: ['status.replicas'],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
};

/** `spec.nodeName=node-1,status.phase!=Running`. Throws BadRequest for a field that this type cannot be selected by. */
export function parseFieldSelector(plural: string, text: string): ObjectFilter {
  const requirements = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^!=]+)(==|=|!=)(.*)$/.exec(part);
      if (!match) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
      const path = match[1] ?? '';
      if (path !== 'metadata.name' && path !== 'metadata.namespace' && !SELECTABLE[plural]?.includes(path)) {
        throw badRequest(
          SELECTABLE[plural]
            ? `field label not supported: ${path}`
            : `"${path}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
        );
      }
      return { path: path.split('.'), equals: match[2] !== '!=', value: match[3] ?? '' };
    });
  return (object) =>
    requirements.every((requirement) => (fieldText(object, requirement.path) === requirement.value) === requirement.equals);
}

/** The node that a field selector of pods asks for; undefined where it asks for none, or for all but one. */
export function nodeAsked(text: string): string | undefined {
  return /(?:^|,)\s*spec\.nodeName==?([^=,\s]+)\s*(?:,|$)/.exec(text)?.[1];
}

function fieldText(object: KubeObject, path: string[]): string {
  let value: unknown = object;
  for (const step of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  if (path[0] === 'source' && typeof value === 'object') return object.source?.component ?? '';
  if (value === undefined || value === null) return path.at(-1) === 'unschedulable' || path.at(-1) === 'hostNetwork' ? 'false' : '';
  if (typeof value === 'object') return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
