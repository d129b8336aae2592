/** What an add-on's configurationValues may say: the JSON schemas that EKS publishes, in short. */
import { parse } from 'yaml';
import type { World } from '../../../world/world.ts';
import { invalidParameter, notFound } from '../errors.ts';
import { asRecord, type Call } from '../http.ts';

interface Schema {
  type: 'object' | 'string' | 'integer' | 'boolean' | 'array';
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
}

const any: Schema = { type: 'object', additionalProperties: true };
const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties, additionalProperties: false });

const SCHEMAS: Record<string, Schema> = {
  'vpc-cni': object({
    env: any,
    init: object({ env: any }),
    resources: any,
    tolerations: { type: 'array' },
    affinity: any,
    nodeSelector: any,
  }),
  coredns: object({
    replicaCount: { type: 'integer' },
    corefile: { type: 'string' },
    resources: any,
    tolerations: { type: 'array' },
    affinity: any,
    nodeSelector: any,
    autoScaling: any,
    podDisruptionBudget: any,
  }),
  'kube-proxy': object({ mode: { type: 'string' }, ipvs: any, resources: any }),
  'aws-ebs-csi-driver': object({ controller: any, node: any, sidecars: any }),
};

export function describeAddonConfiguration(world: World, { query }: Call): Record<string, unknown> {
  const [addonName, addonVersion] = [query.get('addonName') ?? '', query.get('addonVersion') ?? ''];
  const schema = SCHEMAS[addonName];
  const offered = world.eks.addOnCatalogue[addonName]?.some((v) => v.version === addonVersion);
  if (schema === undefined || offered !== true)
    throw notFound(`No addon configuration found for addon: ${addonName} and version: ${addonVersion}`, { addonName });
  // AWS CLI reference, describe-addon-configuration: the schema itself is a definition that is referred to.
  const definition = definitionOf(addonName);
  const configurationSchema = JSON.stringify({
    $ref: `#/definitions/${definition}`,
    $schema: 'http://json-schema.org/draft-06/schema#',
    definitions: { [definition]: schema },
  });
  return { addonName, addonVersion, configurationSchema, podIdentityConfiguration: [] };
}

/** "VpcCni" of "vpc-cni". */
const definitionOf = (addOn: string): string =>
  addOn
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Throws InvalidParameterException in the words of EKS. JSON and YAML are both taken. */
export function refuseConfiguration(addOn: string, values: string, members: Record<string, unknown>): void {
  const schema = SCHEMAS[addOn];
  if (schema === undefined || values === '') return;
  const errors = violations(schema, read(values), '$');
  if (errors.length > 0)
    throw invalidParameter(
      `ConfigurationValue provided in request is not supported: Json schema validation failed with error: [${errors.join(', ')}]`,
      members,
    );
}

function read(values: string): unknown {
  try {
    return parse(values);
  } catch {
    return undefined;
  }
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
}

function violations(schema: Schema, value: unknown, path: string): string[] {
  const found = typeOf(value);
  if (found !== schema.type) return [`${path}: ${found} found, ${schema.type} expected`];
  if (schema.properties === undefined) return [];
  return Object.entries(asRecord(value) ?? {}).flatMap(([key, inner]) => {
    const known = schema.properties?.[key];
    if (known !== undefined) return violations(known, inner, `${path}.${key}`);
    return [`${path}.${key}: is not defined in the schema and the schema does not allow additional properties`];
  });
}
