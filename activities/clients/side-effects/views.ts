/** An EKS resource as it is compared: everything that EKS describes of it, as JSON, without secrets, in an order that does not change. */
import type { Addon, Cluster, Nodegroup } from '@aws-sdk/client-eks';
import { parse } from 'yaml';
import { type AddOnIdentity, withoutSecrets } from '../../../domain/facts/rollback-point.ts';
import { isRecord } from '../../../domain/core/unknown.ts';
import type { AwsClients } from '../aws/clients.ts';
import { describeAddon, describeAddonIdentities, describeCluster, describeNodegroup } from '../aws/eks-api.ts';
import { failureType } from '../../runtime/translate-errors.ts';
import { digest } from './recorder.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';
import type { UpdateResource } from '../../contract/eks.ts';

export type View = Record<string, unknown>;

/** undefined: there is none. */
export async function readView(aws: AwsClients, ref: ClusterRef, resource: UpdateResource): Promise<View | undefined> {
  switch (resource.kind) {
    case 'cluster':
      return viewOfCluster(await describeCluster(aws, ref));
    case 'node-group':
      return viewOfGroup(await describeNodegroup(aws, ref, resource.name));
    case 'add-on': {
      const addOn = await describeAddon(aws, ref, resource.name);
      return addOn === undefined ? undefined : await viewOfAddOn(aws, ref, addOn);
    }
  }
}

/** Logs by type, since EKS lists them in sets whose order means nothing; the certificate by its digest. */
function viewOfCluster({ logging, certificateAuthority, ...cluster }: Cluster): View {
  const logs = (logging?.clusterLogging ?? []).flatMap(({ types = [], enabled = false }) => types.map((type) => [type, enabled] as const));
  const authority = certificateAuthority?.data === undefined ? {} : { certificateAuthority: digest(certificateAuthority.data) };
  return asJson({ ...cluster, logging: Object.fromEntries(logs), ...authority });
}

const viewOfGroup = (group: Nodegroup): View => asJson(group);

async function viewOfAddOn(aws: AwsClients, ref: ClusterRef, addOn: Addon): Promise<View> {
  const { configurationValues = '', podIdentityAssociations: arns = [], ...rest } = addOn;
  const podIdentities = await identitiesOf(aws, ref, addOn);
  return asJson({
    ...rest,
    ...(podIdentities === undefined ? { podIdentityAssociations: arns } : { podIdentities }),
    ...(configurationValues === '' ? {} : { configurationValues: valuesOf(configurationValues) }),
  });
}

/** undefined: they may not be read, or one has just gone, and their ARNs have to do. */
async function identitiesOf(aws: AwsClients, ref: ClusterRef, addOn: Addon): Promise<AddOnIdentity[] | undefined> {
  try {
    return await describeAddonIdentities(aws, ref, addOn);
  } catch (error) {
    const type = failureType(error);
    if (type === 'AccessDenied' || type === 'NotFound') return undefined;
    throw error;
  }
}

/** What may be secret is left out, and the digest of the whole text tells when that changes, too. */
function valuesOf(text: string): View {
  const whole = digest(text);
  try {
    const { values } = withoutSecrets(parse(text));
    return isRecord(values) ? { values, digest: whole } : { digest: whole };
  } catch {
    return { digest: whole };
  }
}

/** Dates become text, and what is undefined goes. Lists of ids have an order of their own with each answer. */
function asJson(value: unknown): View {
  const json: unknown = JSON.parse(JSON.stringify(value));
  const sorted = sortLists(json);
  return isRecord(sorted) ? sorted : {};
}

function sortLists(value: unknown): unknown {
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? value.toSorted() : value.map(sortLists).toSorted(byText);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, sortLists(inner)]));
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
