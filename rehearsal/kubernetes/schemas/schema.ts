/** The part of OpenAPI that CustomResourceDefinitions use: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/ */
import { isObject } from '../json.ts';

export interface Schema {
  type?: string;
  format?: string;
  nullable?: boolean;
  default?: unknown;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
}

export interface CustomVersion {
  name: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: { status?: object; scale?: ScalePaths };
  additionalPrinterColumns?: PrinterColumn[];
}

export interface ScalePaths {
  specReplicasPath?: string;
  statusReplicasPath?: string;
  labelSelectorPath?: string;
}

export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  format?: string;
  priority?: number;
  description?: string;
}

/** The version that requests use, of a CustomResourceDefinition. */
export function versionOf(versions: readonly CustomVersion[] | undefined, version: string): CustomVersion | undefined {
  return versions?.find((candidate) => candidate.name === version);
}

/** The schema of an object's field; undefined where the schema does not know it. */
export function fieldSchema(schema: Schema, field: string): Schema | undefined {
  const known = schema.properties?.[field];
  if (known) return known;
  return isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
}

/** An object that is no list. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}
