/**
 * Machine images of a recorded cluster's world: those that its nodes run and its node classes name, those that SSM named as the newest, and for later minors
 * and pinned releases those that the twin has to make up.
 */
import { objectsOf, type Snapshot, type SnapshotKubeObject } from '../../../../domain/facts/snapshot/format.ts';
import { minorOf } from '../../../aws/eks/catalogue.ts';
import { type Ami, type AmiFamily, imageIdOf, imageNameOf, knownAmis, OWN_IMAGE, releaseOfDay } from '../../../aws/eks/nodes/amis.ts';
import type { EksState } from '../../../aws/eks/state.ts';
import { kubeletMinor } from '../../../controllers/nodes.ts';
import { record, records, text } from './calls.ts';
import { type KnownImages, keyOf, knownImages } from './parameters.ts';
import { compareVersions } from './compare-versions.ts';

const ARCHES = ['x86_64', 'arm64'] as const;
const FAMILIES = ['al2023', 'bottlerocket', 'al2'] as const;
/** AWS builds none for this minor and later ones (Amazon EKS user guide, "Amazon Linux 2 AMI deprecation"). */
const WITHOUT_AL2 = 33;

/** Oldest release first. `node groups are known already. */
export function imagesOf(snapshot: Snapshot, { cluster, versions, nodeGroups }: EksState): Ami[] {
  const day = releaseOfDay(new Date(snapshot.header.takenAt));
  const found = new Map<string, Ami>();
  const names = namesOf(snapshot);
  const note = (ami: Ami | undefined): void => {
    if (ami !== undefined && !found.has(ami.id)) found.set(ami.id, ami);
  };
  for (const [id, node] of nodesByImage(snapshot)) note(ofNode(id, node, { name: names.get(id), day, nodeGroups }));
  for (const [id, name] of names) note(named(id, name));
  const known = knownImages(snapshot, day);
  for (const ami of known.images) note(ami);
  const seen = [...found.values()];
  const later = versions.map(({ version }) => version).filter((version) => minorOf(version) >= minorOf(cluster.version));
  const releases = new Set([day, ...seen.map(({ release }) => release)]);
  for (const group of nodeGroups) {
    const release = /-(\d{8})$/.exec(group.releaseVersion)?.[1];
    if (release !== undefined) releases.add(`v${release}`);
  }
  for (const minor of later) for (const ami of madeUp(minor, { seen, releases, known, day, from: cluster.version })) note(ami);
  for (const ami of knownAmis()) if (minorOf(ami.minor) < minorOf(cluster.version)) note(ami);
  return [...found.values()].toSorted((a, b) => compareVersions(a.release, b.release));
}

/** By image: a node that runs it. */
function nodesByImage(snapshot: Snapshot): Map<string, SnapshotKubeObject> {
  const nodes = objectsOf(snapshot, 'v1', 'nodes') ?? [];
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const found = new Map<string, SnapshotKubeObject>();
  for (const claim of claimsOf(snapshot)) {
    const status = record(claim['status']);
    const node = byName.get(text(status['nodeName']) ?? '');
    const id = text(status['imageID']);
    if (node !== undefined && id !== undefined) found.set(id, node);
  }
  for (const node of nodes) {
    const id = node.metadata.labels?.['eks.amazonaws.com/nodegroup-image'];
    if (id !== undefined) found.set(id, node);
  }
  return found;
}

const claimsOf = (snapshot: Snapshot): SnapshotKubeObject[] =>
  objectsOf(snapshot, 'karpenter.sh/v1', 'nodeclaims') ?? objectsOf(snapshot, 'karpenter.sh/v1beta1', 'nodeclaims') ?? [];

/** As node classes name them. */
function namesOf(snapshot: Snapshot): Map<string, string> {
  const classes =
    objectsOf(snapshot, 'karpenter.k8s.aws/v1', 'ec2nodeclasses') ??
    objectsOf(snapshot, 'karpenter.k8s.aws/v1beta1', 'ec2nodeclasses') ??
    [];
  const amis = classes.flatMap((one) => records(record(one['status'])['amis']));
  return new Map(amis.flatMap(({ id, name }) => (text(id) === undefined ? [] : [[text(id) ?? '', text(name) ?? '']])));
}

/** What runs on a node says the minor and the architecture, whatever its name. */
function ofNode(
  id: string,
  node: SnapshotKubeObject,
  { name, day, nodeGroups }: { name: string | undefined; day: string; nodeGroups: EksState['nodeGroups'] },
): Ami {
  const info = record(record(node['status'])['nodeInfo']);
  const kubelet = text(info['kubeletVersion']);
  const os = text(info['osImage']) ?? '';
  const group = nodeGroups.find((one) => one.name === node.metadata.labels?.['eks.amazonaws.com/nodegroup']);
  const read = (name === undefined ? undefined : named(id, name)) ?? (group === undefined ? undefined : ofGroup(group));
  return {
    id,
    name: name ?? `image of ${node.metadata.name}`,
    family: os.startsWith('Bottlerocket') ? 'bottlerocket' : os === 'Amazon Linux 2' ? 'al2' : 'al2023',
    arch: info['architecture'] === 'arm64' ? 'arm64' : 'x86_64',
    release: day,
    ...(read ?? { variant: OWN_IMAGE }),
    minor: kubeletMinor({ ...node, metadata: { ...node.metadata } }),
    ...(kubelet === undefined ? {} : { kubelet }),
  };
}

/** What its release version says, "1.33.5-20251016". */
function ofGroup({ releaseVersion }: EksState['nodeGroups'][number]): Partial<Ami> | undefined {
  const release = /-(\d{8})$/.exec(releaseVersion)?.[1];
  return release === undefined ? undefined : { release: `v${release}`, releaseVersion };
}

/** By the names of images that AWS builds; undefined for one's own. */
function named(id: string, name: string): Ami | undefined {
  const [, modernArch, kind, modern, modernRelease] = /^amazon-eks-node-al2023-(x86_64|arm64)-(\w+)-(\d+\.\d+)-(v\d+)$/.exec(name) ?? [];
  if (modern !== undefined && modernRelease !== undefined)
    return {
      ...base(id, name, 'al2023', modernArch),
      minor: modern,
      release: modernRelease,
      ...(kind === 'standard' ? {} : { variant: kind }),
    };
  const [, oldKind = '', old, oldRelease] = /^amazon-eks(-arm64|-gpu)?-node-(\d+\.\d+)-(v\d+)$/.exec(name) ?? [];
  if (old !== undefined && oldRelease !== undefined) {
    const variant = oldKind === '-gpu' ? { variant: 'nvidia' } : {};
    return { ...base(id, name, 'al2', oldKind === '-arm64' ? 'arm64' : 'x86_64'), minor: old, release: oldRelease, ...variant };
  }
  const [, minor, gpu, arch, release] = /^bottlerocket-aws-k8s-(\d+\.\d+)(-nvidia)?-(x86_64|aarch64)-(v[\d.]+)/.exec(name) ?? [];
  if (minor === undefined || release === undefined) return undefined;
  const variant = gpu === undefined ? {} : { variant: 'nvidia' };
  return { ...base(id, name, 'bottlerocket', arch === 'aarch64' ? 'arm64' : 'x86_64'), minor, release, ...variant };
}

const base = (id: string, name: string, family: AmiFamily, arch: string | undefined): Pick<Ami, 'id' | 'name' | 'family' | 'arch'> => ({
  id,
  name,
  family,
  arch: arch === 'arm64' ? 'arm64' : 'x86_64',
});

/** Images that AWS will have built: of each later minor the newest, and the releases that are pinned now. Of the present minor only what nothing was seen of. */
function madeUp(minor: string, { seen, releases, known, day, from }: Making): Ami[] {
  return FAMILIES.flatMap((family) => {
    if (family === 'al2' && minorOf(minor) >= WITHOUT_AL2) return [];
    const newest = known.newest.get(`${family} ${minor}`) ?? day;
    return ARCHES.flatMap((arch) => {
      const own = seen.filter((ami) => ami.family === family && ami.arch === arch && ami.minor === minor && ami.variant === undefined);
      const pinned = [...releases].filter((release) => fits(family, release) && release !== day);
      const wanted = minor === from ? (own.length === 0 ? [newest] : []) : [...new Set([...pinned, newest])];
      return wanted
        .filter((release) => !own.some((ami) => ami.release === release) && !known.missing.has(keyOf({ family, minor, arch, release })))
        .map((release) => made(family, arch, minor, release));
    });
  });
}

interface Making {
  seen: readonly Ami[];
  releases: ReadonlySet<string>;
  known: KnownImages;
  /** Of the snapshot: the newest release where SSM named none. */
  day: string;
  from: string;
}

/** Bottlerocket counts its releases, the others date them. */
const fits = (family: AmiFamily, release: string): boolean => release.includes('.') === (family === 'bottlerocket');

function made(family: AmiFamily, arch: Ami['arch'], minor: string, release: string): Ami {
  const name = imageNameOf(family, arch, minor, release);
  return { id: imageIdOf(name), name, family, arch, minor, release };
}

/** Types of managed node groups whose images the twin has not. */
export const isUnknownType = (amiType: string): boolean => /WINDOWS|NVIDIA|NEURON/.test(amiType);
