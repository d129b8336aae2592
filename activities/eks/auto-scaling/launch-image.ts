/** The image that a launch template names, and the newest of the same family for another minor: an id stays an id, a parameter a parameter. */
import { imageParameter, minorOfImage, readImageName } from '../../../domain/facts/ami-names.ts';
import { field } from '../../../domain/core/unknown.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { during } from '../../runtime/translate-errors.ts';
import { signalled } from './group-calls.ts';

/** `before`, `after`: in words. `image`: what the template is to name. */
export type NextImage = { kind: 'next'; before: string; after: string; image: string } | { kind: 'ask'; why: string };

const PARAMETER = 'resolve:ssm:';
/** Parameters of the images that Amazon publishes for EKS nodes, all variants, with the minor in them. */
const OF_AMAZON = /^(\/aws\/service\/(?:eks\/optimized-ami\/|bottlerocket\/aws-k8s-))(\d+\.\d+)(.*\/(?:recommended|latest)\/image_id)$/;

/** `earlier`: images that the template had before, the newest first; one of them that is for that minor goes before the newest that Amazon has. */
export async function nextImage(
  clients: AccountClients,
  { named, earlier }: { named: string | undefined; earlier: readonly string[] },
  to: string,
): Promise<NextImage> {
  if (named === undefined) return { kind: 'ask', why: 'its launch template names no image' };
  if (named.startsWith(PARAMETER)) return await nextParameter(clients, named.slice(PARAMETER.length), to);
  return await nextId(clients, { id: named, earlier }, to);
}

async function nextParameter(clients: AccountClients, name: string, to: string): Promise<NextImage> {
  const [, root = '', , rest = ''] = OF_AMAZON.exec(name) ?? [];
  if (root === '') return { kind: 'ask', why: `its launch template resolves ${name}, which is no parameter of Amazon's newest image` };
  const wanted = `${root}${to}${rest}`;
  if ((await parameter(clients, wanted)) === undefined) return { kind: 'ask', why: `Amazon publishes no ${wanted}` };
  return { kind: 'next', before: name, after: wanted, image: `${PARAMETER}${wanted}` };
}

async function nextId(
  clients: AccountClients,
  { id, earlier }: { id: string; earlier: readonly string[] },
  to: string,
): Promise<NextImage> {
  const name = await imageName(clients, id);
  if (name === undefined) return { kind: 'ask', why: `its image ${id} is gone, or of another account` };
  const known = readImageName(name);
  if (known === undefined) return { kind: 'ask', why: `its image ${name} (${id}) is none of Amazon's standard images for EKS` };
  const before = `${name} (${id})`;
  // A version that Belay has made before.
  if (minorOfImage(name) === to) return { kind: 'next', before, after: before, image: id };
  for (const image of earlier.filter((each) => !each.startsWith(PARAMETER))) {
    const earlierName = await imageName(clients, image);
    const isSame = earlierName !== undefined && readImageName(earlierName)?.family === known.family;
    if (isSame && minorOfImage(earlierName) === to) return { kind: 'next', before, after: `${earlierName} (${image})`, image };
  }
  const wanted = imageParameter(`${known.family}@latest`, to, known.arch);
  const found = wanted === undefined ? undefined : await parameter(clients, wanted);
  if (found === undefined) return { kind: 'ask', why: `Amazon publishes no ${known.family} image of ${known.arch} for ${to}` };
  return { kind: 'next', before, after: `${(await imageName(clients, found)) ?? 'the newest image'} (${found})`, image: found };
}

/** undefined: the image is gone or not shared with this account. */
function imageName(clients: AccountClients, id: string): Promise<string | undefined> {
  return during(`reading image ${id}`, async () => {
    const ec2 = await clients.ec2();
    try {
      return (await ec2.describeImages({ ImageIds: [id] }, signalled())).Images?.[0]?.Name;
    } catch (error) {
      if (field(error, 'name') === 'InvalidAMIID.NotFound' || field(error, 'name') === 'InvalidAMIID.Unavailable') return undefined;
      throw error;
    }
  });
}

/** undefined: AWS publishes no such parameter. */
function parameter(clients: AccountClients, name: string): Promise<string | undefined> {
  return during(`reading parameter ${name}`, async () => {
    const ssm = await clients.ssm();
    try {
      return (await ssm.getParameter({ Name: name }, signalled())).Parameter?.Value;
    } catch (error) {
      if (field(error, 'name') === 'ParameterNotFound') return undefined;
      throw error;
    }
  });
}
