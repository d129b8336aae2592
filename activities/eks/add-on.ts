/** Starts an add-on's update, never to an older version unless that is meant. What EKS would reset is sent again as it is described. */
import { type Addon, UpdateAddonCommand, type UpdateAddonRequest } from '@aws-sdk/client-eks';
import { isNewer } from '../../domain/facts/add-on-versions.ts';
import type { AwsClients } from '../clients/aws/clients.ts';
import { currentSignal } from '../runtime/context.ts';
import { failureOf } from '../runtime/translate-errors.ts';
import { describeAddon } from '../clients/aws/eks-api.ts';
import { startUpdate } from './updates/start-update.ts';
import { isWellAhead } from './newer-add-on.ts';
import type { EksActivities, StartedUpdate } from '../contract/eks.ts';

export async function startAddOnUpdate(aws: AwsClients, input: Parameters<EksActivities['startAddOnUpdate']>[0]): Promise<StartedUpdate> {
  const { cluster: ref, addOn: name, to, token, notBefore, resolveConflicts, back } = input;
  let described: Addon = {};
  const started = await startUpdate({
    aws,
    ref,
    resource: { kind: 'add-on', name },
    to,
    notBefore,
    async look() {
      const addOn = await describeAddon(aws, ref, name);
      if (addOn === undefined) {
        throw failureOf(
          'NotFound',
          `starting the update of add-on ${name}: EKS does not manage it on ${ref.name}; update its workload yourself`,
        );
      }
      described = addOn;
      const status = addOn.status ?? 'unknown';
      // DEGRADED at the wanted version is a matter of health, which awaitAddOnHealthy tells; only overwriting would heal it, where it is a conflict.
      const settled = status === 'ACTIVE' || (status === 'DEGRADED' && resolveConflicts !== 'OVERWRITE');
      const version = addOn.addonVersion ?? '';
      const isThere = version === to || (back !== true && (await isWellAhead(aws, { addOn: name, version, managed: true }, input)));
      return { version, status, there: isThere && settled };
    },
    permit({ version, status }) {
      // Somebody has updated it since the plan was made, perhaps for a security fix.
      if (back === true || !isNewer(version, to)) return;
      throw failureOf(
        'InvalidRequest',
        `starting the update of add-on ${name} to ${to}: it is ${status} at ${version}, which is newer; Belay takes no add-on down in an upgrade. Repair it there, or bring it to ${to} yourself, then retry`,
      );
    },
    async send() {
      const command = new UpdateAddonCommand({
        clusterName: ref.name,
        addonName: name,
        addonVersion: to,
        ...settingsSentAgain(described),
        resolveConflicts: resolveConflicts ?? 'PRESERVE',
        clientRequestToken: token,
      });
      return (await (await aws.writing()).send(command, { abortSignal: currentSignal() })).update;
    },
  });
  // An update to `to` that ended before somebody went further is over: nobody would find the add-on there.
  const isAhead = started.alreadyThere && described.addonVersion !== to;
  return isAhead ? { ...started, updateId: undefined, adopted: false } : started;
}

/**
 * Role: an UpdateAddon without serviceAccountRoleArn lets the add-on use the node's role from then on (EKS API reference, UpdateAddon; hashicorp/
 * terraform-provider-aws issue 19402 and internal/service/eks/addon.go, which sends it with every change; eksctl-io/eksctl pkg/actions/addon/update.go).
 * Configuration: the user guide (updating-an-add-on) says that leaving it out keeps it, the reference says nothing. The same text again is right
 * whether EKS keeps it or not.
 * Pod identities are left out, which keeps them (the reference, podIdentityAssociations), while a list replaces all of
 * them by new associations (user guide, update-addon-role), which needs iam:PassRole for their roles.
 */
function settingsSentAgain({ serviceAccountRoleArn, configurationValues }: Addon): Partial<UpdateAddonRequest> {
  return {
    ...(serviceAccountRoleArn === undefined || serviceAccountRoleArn === '' ? {} : { serviceAccountRoleArn }),
    ...(configurationValues === undefined || configurationValues === '' ? {} : { configurationValues }),
  };
}
