/** Images that a node class chose before, looked up by alias and by id: what is no longer there cannot be gone back to. */
import type { ImagesSeen } from '../../../domain/plan/undo/undo-input.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { currentSignal } from '../../runtime/context.ts';
import { byNextToken } from '../../clients/aws/pages.ts';
import type { KubernetesPort } from '../../contract/ports.ts';
import { readAmiBuilds } from '../../karpenter/amis/ami-builds.ts';
import { see } from '../../runtime/see.ts';

/** `minor`: the control plane's, which is what an alias means. What cannot be read is said, and is no "there is none". */
export async function readImages(
  clients: AccountClients,
  kubernetes: KubernetesPort,
  { aliases, ids, minor }: { aliases: readonly string[]; ids: readonly string[]; minor: string },
): Promise<ImagesSeen> {
  const builds =
    aliases.length === 0 ? undefined : await see('looking up AMIs', () => readAmiBuilds(clients, kubernetes, [minor], aliases));
  const names = ids.length === 0 ? undefined : await see('reading images', () => readImageNames(clients, ids));
  const unseen = [builds, names].flatMap((seen) => (seen?.ok === false ? [seen.unseen.why] : []));
  return {
    ...(builds?.ok === true ? { builds: builds.value } : {}),
    ...(names?.ok === true ? { names: names.value } : {}),
    ...(unseen.length === 0 ? {} : { unseen: unseen.join('; ') }),
  };
}

/** A filter passes over what does not exist, where ids would be an error. Deprecated images can still be launched (EC2, DescribeImages). */
async function readImageNames(clients: AccountClients, ids: readonly string[]): Promise<Record<string, string>> {
  const ec2 = await clients.ec2();
  const Filters = [
    { Name: 'image-id', Values: [...ids] },
    { Name: 'state', Values: ['available'] },
  ];
  const query = { Filters, IncludeDeprecated: true };
  const names: Record<string, string> = {};
  for await (const { Images = [] } of byNextToken((page) => ec2.describeImages({ ...query, ...page }, { abortSignal: currentSignal() })))
    for (const { ImageId, Name = '' } of Images) if (ImageId !== undefined) names[ImageId] = Name;
  return names;
}
