/** SSM parameters with the ids of EKS-optimised machine images. */
import { type Ami, type AmiFamily, amisOfAlias, latestAmi, releaseVersionOf } from './nodes/amis.ts';
import type { World } from '../../world/world.ts';
import { AwsError } from './errors.ts';
import { text } from './http.ts';

const AL2023 =
  /^\/aws\/service\/eks\/optimized-ami\/(\d+\.\d+)\/amazon-linux-2023\/(x86_64|arm64)\/standard\/(?:recommended|amazon-eks-node-al2023-[\w]+-standard-[\d.]+-(v\d+))\/(image_id|release_version|image_name)$/;
const AL2 =
  /^\/aws\/service\/eks\/optimized-ami\/(\d+\.\d+)\/amazon-linux-2(-arm64)?\/(?:recommended|amazon-eks(?:-arm64)?-node-[\d.]+-(v\d+))\/(image_id|release_version|image_name)$/;
const BOTTLEROCKET = /^\/aws\/service\/bottlerocket\/aws-k8s-(\d+\.\d+)\/(x86_64|arm64)\/(?:latest|(\d[\w.]*))\/(image_id|image_version)$/;

const part = (ami: Ami, leaf: string | undefined): string =>
  leaf === 'image_id'
    ? ami.id
    : leaf === 'image_name'
      ? ami.name
      : ami.family === 'bottlerocket'
        ? ami.release.slice(1)
        : releaseVersionOf(ami);

/** What a parameter's name asks for. */
interface Wanted {
  family: AmiFamily;
  minor: string;
  arch: Ami['arch'];
  /** undefined: the newest. */
  release?: string;
  leaf?: string;
}

function wantedBy(name: string): Wanted | undefined {
  const archOf = (text: string | undefined): Ami['arch'] => (text?.endsWith('arm64') ? 'arm64' : 'x86_64');
  const [, modern, modernArch, modernRelease, modernLeaf] = AL2023.exec(name) ?? [];
  if (modern !== undefined) return { family: 'al2023', minor: modern, arch: archOf(modernArch), release: modernRelease, leaf: modernLeaf };
  const [, old, oldArch, oldRelease, oldLeaf] = AL2.exec(name) ?? [];
  if (old !== undefined) return { family: 'al2', minor: old, arch: archOf(oldArch), release: oldRelease, leaf: oldLeaf };
  const [, minor, arch, release, leaf] = BOTTLEROCKET.exec(name) ?? [];
  if (minor === undefined) return undefined;
  return { family: 'bottlerocket', minor, arch: archOf(arch), leaf, ...(release === undefined ? {} : { release: `v${release}` }) };
}

/** What a parameter of Amazon's says now; undefined: there is none of that name. */
export function parameterValue(world: World, name: string): string | undefined {
  const wanted = wantedBy(name);
  if (wanted === undefined) return undefined;
  const { family, minor, arch, release = 'latest', leaf } = wanted;
  const ami = amisOfAlias(`${family}@${release}`, minor, world.clock.now(), world.eks.images).find((each) => each.arch === arch);
  return ami && part(ami, leaf);
}

const render = (world: World, name: string, value: string): Record<string, unknown> => ({
  Name: name,
  Type: 'String',
  Value: value,
  Version: 1,
  LastModifiedDate: world.eks.cluster.createdAtMs / 1000,
  ARN: `arn:aws:ssm:${world.eks.cluster.region}::parameter${name}`,
  DataType: name.endsWith('/image_id') ? 'aws:ec2:image' : 'text',
});

/** Answers one JSON 1.1 operation of SSM. */
export function ssm(world: World, operation: string, body: Record<string, unknown>): Record<string, unknown> {
  if (operation === 'GetParameter') {
    const name = text(body, 'Name') ?? '';
    const value = parameterValue(world, name);
    if (value === undefined) throw new AwsError(400, 'ParameterNotFound', '');
    return { Parameter: render(world, name, value) };
  }
  if (operation === 'GetParametersByPath') return byPath(world, text(body, 'Path') ?? '');
  throw new AwsError(400, 'UnknownOperationException', `The stand-in has no SSM ${operation}.`);
}

/** Lists the releases of Amazon Linux 2023 for a minor. */
function byPath(world: World, path: string): Record<string, unknown> {
  const minor = /^\/aws\/service\/eks\/optimized-ami\/(\d+\.\d+)\/amazon-linux-2023\//.exec(`${path}/`)?.[1];
  const ami = minor === undefined ? undefined : latestAmi('al2023', minor, world.clock.now(), 'x86_64', world.eks.images);
  if (minor === undefined || ami === undefined) return { Parameters: [] };
  const name = `/aws/service/eks/optimized-ami/${minor}/amazon-linux-2023/x86_64/standard/${ami.name}/image_id`;
  return { Parameters: [render(world, name, ami.id)] };
}
