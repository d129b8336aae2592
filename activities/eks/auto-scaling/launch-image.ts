/** The image that a launch template names, and the newest of the same family for another minor: an id stays an id, a parameter a parameter. */
import { imageParameter, minorOfImage, readImageName } from '../../../domain/facts/ami-names.ts';
import { field } from '../../../domain/core/unknown.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { during } from '../../runtime/translate-errors.ts';
import { signalled } from './group-calls.ts';

/** `before`, `after`: in words. `image`: what the template is to name; `parameter`: not by an id. */
export type NextImage = { kind: 'next'; before: string; after: string; image: string; parameter?: true } | { kind: 'ask'; why: string };

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
  return { kind: 'next', before: name, after: wanted, image: `${PARAMETER}${wanted}`, parameter: true };
}

async function nextId(
  clients: AccountClients,
  { id, earlier }: { id: string; earlier: readonly string[] },
  to: string,
): Promise<NextImage> {
  const named = await readImage(clients, id);
  if (named === undefined) return { kind: 'ask', why: `its image ${id} is gone, or of another account` };
  const { name } = named;
  const known = readImageName(name);
  if (known === undefined) return { kind: 'ask', why: `its image ${name} (${id}) is none of Amazon's standard images for EKS` };
  if (!named.ofAmazon)
    return { kind: 'ask', why: `its image ${name} (${id}) is named like one of Amazon's, but is not owned by Amazon: a copy` };
  const before = `${name} (${id})`;
  // A version that Belay has made before.
  if (minorOfImage(name) === to) return { kind: 'next', before, after: before, image: id };
  for (const image of earlier.filter((each) => !each.startsWith(PARAMETER))) {
    const { name: earlierName = '', ofAmazon = false } = (await readImage(clients, image)) ?? {};
    const isSame = ofAmazon && readImageName(earlierName)?.family === known.family;
    if (isSame && minorOfImage(earlierName) === to) return { kind: 'next', before, after: `${earlierName} (${image})`, image };
  }
  const wanted = imageParameter(`${known.family}@latest`, to, known.arch);
  const found = wanted === undefined ? undefined : await parameter(clients, wanted);
  if (found === undefined) return { kind: 'ask', why: `Amazon publishes no ${known.family} image of ${known.arch} for ${to}` };
  return { kind: 'next', before, after: `${(await readImage(clients, found))?.name ?? 'the newest image'} (${found})`, image: found };
}

/**
 * undefined: the image is gone or not shared with this account. `ofAmazon`: by its owner's alias, "amazon" in every region, where account numbers differ.
 * A copy (encrypted, hardened) may keep the name of what it was made of, and has another owner (EC2 API reference, Image and CopyImage).
 */
function readImage(clients: AccountClients, id: string): Promise<{ name: string; ofAmazon: boolean } | undefined> {
  return during(`reading image ${id}`, async () => {
    const ec2 = await clients.ec2();
    try {
      const [image] = (await ec2.describeImages({ ImageIds: [id] }, signalled())).Images ?? [];
      return image?.Name === undefined ? undefined : { name: image.Name, ofAmazon: image.ImageOwnerAlias === 'amazon' };
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
