/** Tables for `kubectl get`: rows of the columns that people know. */
import type { PrinterColumn } from '../../schemas/schema.ts';
import type { KubeObject } from '../../store.ts';
import { ageOf, type Cell, type Column, COLUMNS } from './columns.ts';
import { jsonPath } from './json-path.ts';
import type { ResourceRequest } from '../request.ts';

export interface Table {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: object;
  columnDefinitions: object[] | null;
  rows: object[];
}

const NAME: Column = { name: 'Name', format: 'name', cell: (object) => object.metadata.name };

/** Makes Tables when the Accept header asks for them; undefined otherwise. */
export function tableRenderer(
  accept: string | undefined,
  request: ResourceRequest,
  now: () => Date,
): ((objects: KubeObject[], withColumns?: boolean) => Table) | undefined {
  if (!/as=Table/.test(accept ?? '')) return undefined;
  if (request.verb !== 'get' && request.verb !== 'list' && request.verb !== 'watch') return undefined;
  if (request.subresource !== undefined) return undefined;
  const columns = columnsOf(request, now);
  const include = request.query.get('includeObject') ?? 'Metadata';
  return (objects, withColumns = true) => ({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: objects.at(-1)?.metadata.resourceVersion ?? '' },
    columnDefinitions: withColumns
      ? columns.map(({ name, type = 'string', format = '', priority = 0 }) => ({ name, type, format, description: name, priority }))
      : null,
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, now())),
      ...conditionsOf(object),
      ...rowObject(object, include),
    })),
  });
}

function columnsOf({ type, custom }: ResourceRequest, now: () => Date): Column[] {
  const known = custom?.additionalPrinterColumns?.map(printed) ?? COLUMNS[type.plural];
  if (known) return [NAME, ...known];
  return [NAME, { name: 'Age', ...(custom ? { type: 'date' } : {}), cell: (object) => ageOf(object.metadata.creationTimestamp, now()) }];
}

/** A column that a CustomResourceDefinition declares. */
function printed({ name, type, format, priority, jsonPath: path }: PrinterColumn): Column {
  return {
    name,
    type,
    ...(format ? { format } : {}),
    ...(priority ? { priority } : {}),
    cell: (object, now): Cell => {
      const value = jsonPath(object, path);
      if (value === undefined || value === null) return null;
      if (type === 'date') return ageOf(typeof value === 'string' ? value : undefined, now);
      return typeof value === 'number' || typeof value === 'boolean' ? value : typeof value === 'string' ? value : JSON.stringify(value);
    },
  };
}

/** Pods that have ended, so that kubectl can leave them out. */
function conditionsOf(object: KubeObject): object {
  if (object.kind !== 'Pod') return {};
  const condition = (reason: string, message: string) => ({ conditions: [{ type: 'Completed', status: 'True', reason, message }] });
  if (object.status?.phase === 'Succeeded') return condition('Succeeded', 'The pod has completed successfully.');
  return object.status?.phase === 'Failed' ? condition('Failed', 'The pod failed.') : {};
}

function rowObject(object: KubeObject, include: string): object {
  if (include === 'None') return { object: null };
  if (include === 'Object') return { object };
  return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata } };
}
