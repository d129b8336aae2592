/** What people have set of add-ons that EKS manages: configuration values against the next version's schema, and edits of their workloads. */
import { DescribeAddonConfigurationCommand } from '@aws-sdk/client-eks';
import { parse } from 'yaml';
import { z } from 'zod';
import type { AddOnFact } from '../../../../domain/facts/facts.ts';
import type { AddOnConfiguration, Shape } from '../../../../domain/readiness/model/evidence.ts';
import { field, isRecord } from '../../../../domain/core/unknown.ts';
import type { KubernetesVersion } from '../../../../domain/core/version.ts';
import type { AwsClients } from '../../../clients/aws/clients.ts';
import { currentSignal } from '../../../runtime/context.ts';
import { readAddOnWorkloads } from '../../../eks/add-on-workloads.ts';
import { describeAddon } from '../../../clients/aws/eks-api.ts';
import type { KubeObject, KubernetesPort } from '../../../contract/ports.ts';
import { readJson } from '../../../runtime/read-json.ts';
import type { ClusterRef } from '../../../../domain/core/cluster-ref.ts';
import { given } from '../../../runtime/given.ts';
import { isNewer, offeredFor } from '../../../../domain/facts/add-on-versions.ts';
import { unknownKeys } from '../../../../domain/facts/configuration-schema.ts';

export interface ConfigurationReading {
  aws: AwsClients;
  kubernetes: KubernetesPort;
  ref: ClusterRef;
  target: KubernetesVersion;
}

/** One entry for each managed add-on. */
export function readAddOnConfigurations(reading: ConfigurationReading, addOns: Shape<'addOns'>): Promise<AddOnConfiguration[]> {
  const managed = addOns.filter((addOn) => addOn.managed);
  return Promise.all(
    managed.map(async (addOn) => {
      const version = versionAhead(addOn, reading.target);
      const [keys, workloads] = await Promise.all([
        // What stays has taken its configuration already.
        version === addOn.version ? [] : readUnknownKeys(reading, addOn.name, version),
        readAddOnWorkloads(reading.kubernetes, addOn.name),
      ]);
      const edits = workloads.flatMap(({ kind, object }) => editorsOf(object).map((by) => ({ kind, name: object.metadata.name, by })));
      return { name: addOn.name, edits, ...given('version', version), ...given('unknownKeys', keys) };
    }),
  );
}

/** As upgrades choose it: the target's default, and nothing older than what runs. undefined: EKS names no default. */
function versionAhead(addOn: AddOnFact, target: KubernetesVersion): string | undefined {
  const wanted = offeredFor(addOn, target)?.find(({ isDefault }) => isDefault)?.version;
  return wanted === undefined || isNewer(wanted, addOn.version) ? wanted : addOn.version;
}

/** Keys that the version's schema does not have. undefined: there is no schema to compare with. */
async function readUnknownKeys(
  { aws, ref }: ConfigurationReading,
  name: string,
  version: string | undefined,
): Promise<string[] | undefined> {
  const values = (await describeAddon(aws, ref, name))?.configurationValues;
  if (values === undefined || values === '') return [];
  if (version === undefined) return undefined;
  const command = new DescribeAddonConfigurationCommand({ addonName: name, addonVersion: version });
  const { configurationSchema } = await aws.eks.send(command, { abortSignal: currentSignal() });
  const root = readJson(configurationSchema, z.record(z.string(), z.unknown()));
  return root === undefined ? undefined : unknownKeys(parse(values), root);
}

/** EKS applies add-ons as `eks`; the controller manager counts revisions. */
const EXPECTED = new Set(['eks', 'kube-controller-manager']);

/** Field managers beside EKS that own something of the spec; a restart's annotation is nothing that EKS sets. */
function editorsOf({ metadata }: KubeObject): string[] {
  const owners = (metadata.managedFields ?? []).filter(
    ({ manager, subresource, fieldsV1 }) =>
      (subresource ?? '') === '' && manager !== undefined && !EXPECTED.has(manager) && ownsSpec(field(fieldsV1, 'f:spec')),
  );
  return [...new Set(owners.flatMap(({ manager }) => manager ?? []))];
}

function ownsSpec(spec: unknown): boolean {
  if (!isRecord(spec)) return false;
  const template = spec['f:template'];
  const rest = [...Object.keys(spec).filter((key) => key !== 'f:template'), ...(isRecord(template) ? Object.keys(template) : [])];
  return rest.some((key) => key !== 'f:metadata');
}
