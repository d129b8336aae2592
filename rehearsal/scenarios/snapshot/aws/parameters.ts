/** What SSM said about images: their ids, the newest release of a minor, and which releases were never built for it. */
import type { Snapshot } from '../../../../domain/facts/snapshot/format.ts';
import type { Ami, AmiFamily } from '../../../aws/eks/nodes/ami.ts';
import { imageNameOf } from '../../../aws/eks/nodes/amis.ts';
import { record, text } from './calls.ts';

interface Asked {
  family: AmiFamily;
  minor: string;
  arch: Ami['arch'];
  /** undefined: the newest. */
  release?: string;
}

export interface KnownImages {
  images: Ami[];
  /** Newest release by family and minor: "al2023 1.34". */
  newest: ReadonlyMap<string, string>;
  /** By family, minor, architecture and release. */
  missing: ReadonlySet<string>;
}

/** In the order of the parts of a name: minor, architecture, release. */
const IMAGES: readonly [RegExp, AmiFamily][] = [
  [
    /\/optimized-ami\/(\d+\.\d+)\/amazon-linux-2023\/(x86_64|arm64)\/standard\/(?:recommended|amazon-eks-node-al2023-.*-(v\d+))\/image_id$/,
    'al2023',
  ],
  [/\/optimized-ami\/(\d+\.\d+)\/amazon-linux-2(-arm64)?\/(?:recommended|amazon-eks.*-node-[\d.]+-(v\d+))\/image_id$/, 'al2'],
  [/\/bottlerocket\/aws-k8s-(\d+\.\d+)\/(x86_64|arm64)\/(?:latest|(\d[\d.]*))\/image_id$/, 'bottlerocket'],
];
const RELEASE = /\/optimized-ami\/(\d+\.\d+)\/amazon-linux-(2|2023)\/(?:x86_64\/standard\/)?recommended\/release_version$/;

export const keyOf = ({ family, minor, arch, release }: Required<Asked>): string => [family, minor, arch, release].join(' ');

/** `day`: the release that stands for the newest where none was named. */
export function knownImages(snapshot: Snapshot, day: string): KnownImages {
  const asked = snapshot.calls.filter(({ operation }) => operation === 'GetParameter');
  const newest = new Map<string, string>();
  for (const { input, output } of asked) {
    const [, minor, family] = RELEASE.exec(text(input['Name']) ?? '') ?? [];
    const release = /-(\d{8})$/.exec(text(record(record(output)['Parameter'])['Value']) ?? '')?.[1];
    if (minor !== undefined && release !== undefined) newest.set(`al${family} ${minor}`, `v${release}`);
  }
  const images: Ami[] = [];
  const missing = new Set<string>();
  for (const { input, output, error } of asked) {
    const wanted = wantedBy(text(input['Name']) ?? '');
    if (wanted === undefined) continue;
    const release = wanted.release ?? newest.get(`${wanted.family} ${wanted.minor}`) ?? day;
    const id = text(record(record(output)['Parameter'])['Value']);
    if (id !== undefined) images.push({ ...wanted, id, name: imageNameOf(wanted.family, wanted.arch, wanted.minor, release), release });
    else if (error?.name === 'ParameterNotFound') missing.add(keyOf({ ...wanted, release }));
  }
  return { images, newest, missing };
}

function wantedBy(name: string): Asked | undefined {
  for (const [pattern, family] of IMAGES) {
    const [, minor, arch, release] = pattern.exec(name) ?? [];
    if (minor === undefined) continue;
    const named = release === undefined ? {} : { release: release.startsWith('v') ? release : `v${release}` };
    return { family, minor, arch: arch?.endsWith('arm64') === true ? 'arm64' : 'x86_64', ...named };
  }
  return undefined;
}
