/** Facts of add-ons: those that EKS manages, and the usual ones that run in kube-system without it; with the versions EKS offers for each. */
import { paginateDescribeAddonVersions, paginateListAddons } from '@aws-sdk/client-eks';
import { compareComponentVersions, tryComponentVersion } from '../../../domain/core/component-version.ts';
import type { AddOnFact } from '../../../domain/facts/facts.ts';
import type { AwsClients } from '../../clients/aws/clients.ts';
import { currentSignal } from '../../runtime/context.ts';
import { type AddOnWorkload, addOnImageVersion, readAddOnWorkloads, SELF_MANAGED_CANDIDATES } from '../../eks/add-on-workloads.ts';
import { describeAddon } from '../../clients/aws/eks-api.ts';
import { healthIssues } from '../../eks/updates/resource-state.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { someAtOnce } from '../../runtime/in-batches.ts';
import { during } from '../../runtime/translate-errors.ts';
import type { Reader } from '../../runtime/reader.ts';
import type { ClusterRef } from '../../../domain/core/cluster-ref.ts';

export interface AddOnReading {
  aws: AwsClients;
  ref: ClusterRef;
  kubernetes: KubernetesPort;
  reader: Reader;
  /** Its nodes have these components without workloads; nodes beside them need the workloads. */
  autoMode: boolean | Promise<boolean>;
}

export async function readAddOns(reading: AddOnReading): Promise<AddOnFact[]> {
  const { aws, ref, reader } = reading;
  const names = await reader.attempt<string[] | undefined>(
    { part: 'add-ons', what: 'the add-ons' },
    'eks:ListAddons',
    () => listAddonNames(aws, ref),
    undefined,
  );
  const managed = await someAtOnce(names ?? [], (name) =>
    reader.attempt({ part: 'add-ons', name, what: `add-on ${name}` }, 'eks:DescribeAddon', () => readManaged(reading, name), undefined),
  );
  // Without the list a managed add-on would be taken for a self-managed one.
  const candidates = names === undefined ? [] : SELF_MANAGED_CANDIDATES.filter((name) => !names.includes(name));
  const own = await someAtOnce(candidates, (name) =>
    reader.attempt(
      { part: 'self-managed-add-ons', name, what: `${name} in kube-system` },
      'get on deployments and daemonsets',
      () => readSelfManaged(reading, name),
      undefined,
    ),
  );
  return [...managed, ...own].filter((fact) => fact !== undefined);
}

export function listAddonNames(aws: AwsClients, ref: ClusterRef): Promise<string[]> {
  return during(`listing add-ons of ${ref.name}`, async () => {
    const names: string[] = [];
    const pages = paginateListAddons({ client: aws.eks }, { clusterName: ref.name }, { abortSignal: currentSignal() });
    for await (const page of pages) names.push(...(page.addons ?? []));
    return names;
  });
}

async function readManaged(reading: AddOnReading, name: string): Promise<AddOnFact | undefined> {
  const [addOn, offered] = await Promise.all([describeAddon(reading.aws, reading.ref, name), readOffered(reading, name)]);
  if (addOn === undefined) return undefined;
  return {
    name,
    version: addOn.addonVersion ?? '',
    status: addOn.status ?? 'unknown',
    healthIssues: healthIssues(addOn.health?.issues),
    managed: true,
    offered,
  };
}

async function readSelfManaged(reading: AddOnReading, name: string): Promise<AddOnFact | undefined> {
  const [workload] = await readAddOnWorkloads(reading.kubernetes, name);
  if (workload === undefined || ((await reading.autoMode) && !isInUse(workload))) return undefined;
  const version = addOnImageVersion(workload);
  if (version === undefined)
    reading.reader.doubt({ part: 'component-versions', what: `the version of ${name}` }, 'its image tag is not a version');
  return {
    name,
    version: version ?? 'unknown',
    status: 'ACTIVE',
    healthIssues: [],
    managed: false,
    offered: await readOffered(reading, name),
  };
}

/** A DaemonSet that finds no node, or a Deployment of none, is left from before Auto Mode. */
function isInUse({ kind, object: { spec, status } }: AddOnWorkload): boolean {
  return kind === 'DaemonSet' ? status?.desiredNumberScheduled !== 0 : spec?.replicas !== 0;
}

/** By Kubernetes minor, newest first. */
function readOffered({ aws, reader }: AddOnReading, name: string): Promise<AddOnFact['offered']> {
  return reader.attempt<AddOnFact['offered']>(
    { part: 'offered-versions', name, what: `the versions of add-on ${name} that EKS offers` },
    'eks:DescribeAddonVersions',
    () =>
      during(`reading the versions of add-on ${name} that EKS offers`, async () => {
        const offered: AddOnFact['offered'] = {};
        const pages = paginateDescribeAddonVersions({ client: aws.eks }, { addonName: name }, { abortSignal: currentSignal() });
        for await (const page of pages) {
          for (const entry of (page.addons ?? []).flatMap((addOn) => addOn.addonVersions ?? [])) {
            for (const { clusterVersion, defaultVersion } of entry.compatibilities ?? []) {
              if (clusterVersion === undefined || entry.addonVersion === undefined) continue;
              (offered[clusterVersion] ??= []).push({ version: entry.addonVersion, isDefault: defaultVersion === true });
            }
          }
        }
        for (const list of Object.values(offered)) list.sort((a, b) => newestFirst(a.version, b.version));
        return offered;
      }),
    {},
  );
}

function newestFirst(a: string, b: string): number {
  const [left, right] = [tryComponentVersion(a), tryComponentVersion(b)];
  if (left === undefined || right === undefined) return b.localeCompare(a, 'en', { numeric: true });
  return compareComponentVersions(right, left);
}
