/** SSM parameters with the ids of EKS-optimised machine images. */
import { type Ami, amiOfAlias, latestAmi, releaseVersionOf } from './amis.ts';
import type { World } from '../world/world.ts';
import { AwsError } from './errors.ts';
import { text } from './http.ts';

const AL2023 =
  /^\/aws\/service\/eks\/optimized-ami\/(\d+\.\d+)\/amazon-linux-2023\/(x86_64|arm64)\/standard\/(?:recommended|amazon-eks-node-al2023-[\w]+-standard-[\d.]+-(v\d+))\/(image_id|release_version|image_name)$/;
const AL2 = /^\/aws\/service\/eks\/optimized-ami\/(\d+\.\d+)\/amazon-linux-2\/recommended\/(image_id|release_version|image_name)$/;
const BOTTLEROCKET = /^\/aws\/service\/bottlerocket\/aws-k8s-(\d+\.\d+)\/(x86_64|arm64)\/latest\/(image_id|image_version)$/;

const part = (ami: Ami, leaf: string | undefined): string =>
  leaf === 'image_id'
    ? ami.id
    : leaf === 'image_name'
      ? ami.name
      : ami.family === 'bottlerocket'
        ? ami.release.slice(1)
        : releaseVersionOf(ami);

function valueOf(world: World, name: string): string | undefined {
  const at = world.clock.now();
  const modern = AL2023.exec(name);
  if (modern !== null) {
    const [, minor = '', arch, release, leaf] = modern;
    const ami =
      release === undefined
        ? latestAmi('al2023', minor, at, arch === 'arm64' ? 'arm64' : 'x86_64')
        : amiOfAlias(`al2023@${release}`, minor, at);
    return ami && part(ami, leaf);
  }
  const old = AL2.exec(name);
  const oldAmi = old === null ? undefined : latestAmi('al2', old[1] ?? '', at);
  if (oldAmi !== undefined) return part(oldAmi, old?.[2]);
  const bottlerocket = BOTTLEROCKET.exec(name);
  const ami =
    bottlerocket === null
      ? undefined
      : latestAmi('bottlerocket', bottlerocket[1] ?? '', at, bottlerocket[2] === 'arm64' ? 'arm64' : 'x86_64');
  return ami && part(ami, bottlerocket?.[3]);
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
    const value = valueOf(world, name);
    if (value === undefined) throw new AwsError(400, 'ParameterNotFound', '');
    return { Parameter: render(world, name, value) };
  }
  if (operation === 'GetParametersByPath') return byPath(world, text(body, 'Path') ?? '');
  throw new AwsError(400, 'UnknownOperationException', `The stand-in has no SSM ${operation}.`);
}

/** Lists the releases of Amazon Linux 2023 for a minor. */
function byPath(world: World, path: string): Record<string, unknown> {
  const minor = /^\/aws\/service\/eks\/optimized-ami\/(\d+\.\d+)\/amazon-linux-2023\//.exec(`${path}/`)?.[1];
  const ami = minor === undefined ? undefined : latestAmi('al2023', minor, world.clock.now());
  if (minor === undefined || ami === undefined) return { Parameters: [] };
  const name = `/aws/service/eks/optimized-ami/${minor}/amazon-linux-2023/x86_64/standard/${ami.name}/image_id`;
  return { Parameters: [render(world, name, ami.id)] };
}
