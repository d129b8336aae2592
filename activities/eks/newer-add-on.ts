/** Add-ons that somebody has brought further than an upgrade asks for: a newer release that EKS offers is left where it is. */
import { paginateDescribeAddonVersions } from '@aws-sdk/client-eks';
import { isNewer, sameRelease } from '../../domain/facts/add-on-versions.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import type { NewerAddOn } from '../contract/eks.ts';
import { currentSignal } from '../runtime/context.ts';
import { during } from '../runtime/translate-errors.ts';

interface Installed {
  addOn: string;
  version: string;
  /** By EKS. */
  managed: boolean;
}

/** Is it newer than `to`, and does EKS offer it on `newerOn`? Asks EKS only where it is newer. */
export async function isWellAhead(aws: AwsClients, installed: Installed, { to, newerOn }: NewerAddOn & { to: string }): Promise<boolean> {
  if (newerOn === undefined || !isNewer(installed.version, to)) return false;
  const { addOn, version } = installed;
  return await during(`reading the versions of add-on ${addOn} that EKS offers for ${newerOn}`, async () => {
    const query = { addonName: addOn, kubernetesVersion: newerOn };
    for await (const page of paginateDescribeAddonVersions({ client: aws.eks }, query, { abortSignal: currentSignal() })) {
      const offered = (page.addons ?? []).flatMap(({ addonVersions = [] }) => addonVersions);
      if (offered.some(({ addonVersion = '' }) => sameRelease(installed, addonVersion, version))) return true;
    }
    return false;
  });
}
