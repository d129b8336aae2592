/** Starts an add-on's update. Configuration, role and pod identities are left out of the request, which keeps them as they are. */
import { UpdateAddonCommand } from '@aws-sdk/client-eks';
import type { AwsClients } from '../clients/aws.ts';
import type { EksActivities } from '../contract.ts';
import { currentSignal } from '../context.ts';
import { failureOf } from '../translate-errors.ts';
import { describeAddon } from './api.ts';
import { startUpdate } from './start-update.ts';

export async function startAddOnUpdate(aws: AwsClients, input: Parameters<EksActivities['startAddOnUpdate']>[0]) {
  const { cluster: ref, addOn: name, to, token, notBefore, resolveConflicts } = input;
  return startUpdate({
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
      const status = addOn.status ?? 'unknown';
      // DEGRADED at the wanted version is a matter of health, which awaitAddOnHealthy tells; only overwriting would heal it, where it is a conflict.
      const settled = status === 'ACTIVE' || (status === 'DEGRADED' && resolveConflicts !== 'OVERWRITE');
      return {
        version: addOn.addonVersion ?? '',
        status,
        there: addOn.addonVersion === to && settled,
      };
    },
    permit() {},
    async send() {
      const command = new UpdateAddonCommand({
        clusterName: ref.name,
        addonName: name,
        addonVersion: to,
        resolveConflicts: resolveConflicts ?? 'PRESERVE',
        clientRequestToken: token,
      });
      return (await (await aws.writing()).send(command, { abortSignal: currentSignal() })).update;
    },
  });
}
