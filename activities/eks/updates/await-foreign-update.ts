/** Waits for a change that somebody else makes (a merge, `terraform apply`): adopts it as soon as EKS lists it. Nothing is sent. */
import type { AwsClients } from '../../clients/aws/clients.ts';
import { failureOf } from '../../runtime/translate-errors.ts';
import { waitUntil } from '../../runtime/wait-until.ts';
import { nameOf } from '../../clients/aws/eks-api.ts';
import { isWellAhead } from '../newer-add-on.ts';
import { findUpdates, sayUpdate } from './find-update.ts';
import { readResource } from './resource-state.ts';
import type { EksActivities, StartedUpdate } from '../../contract/eks.ts';
import { defined } from '../../../domain/core/defined.ts';

type Input = Parameters<EksActivities['awaitForeignUpdate']>[0];

export async function awaitForeignUpdate(aws: AwsClients, input: Input): Promise<StartedUpdate & { timedOut: boolean }> {
  const { cluster: ref, resource, to, notBefore, timing } = input;
  const end = await waitUntil<StartedUpdate>(
    { timing, timeoutMs: timing.askTimeoutMs, doing: `waiting for somebody to update ${nameOf(ref, resource)} to ${to}` },
    async () => {
      const found = await findUpdates(aws, ref, resource, to, notBefore);
      const adopted = found.running?.id ?? found.succeeded?.id;
      if (found.running?.id === undefined) {
        const state = await readResource(aws, ref, resource);
        refuseThird(input, state.version);
        // As most_recent of Terraform's add-ons does.
        if (resource.kind === 'add-on' && state.status === 'ACTIVE') {
          const installed = { addOn: resource.name, version: state.version, managed: true };
          if (await isWellAhead(aws, installed, input)) return { done: true, value: { adopted: false, alreadyThere: true } };
        }
        if (state.version === to && !state.ownImage && state.status === 'ACTIVE') {
          return {
            done: true,
            value: { ...defined({ updateId: adopted }), adopted: adopted !== undefined, alreadyThere: true },
          };
        }
      }
      if (adopted !== undefined) return { done: true, value: { updateId: adopted, adopted: true, alreadyThere: false } };
      // A failed one is an end as well: whoever follows it by its id learns why, and people decide. After a Retry it is too old to count.
      if (found.failed?.id !== undefined) {
        return { done: true, value: { updateId: found.failed.id, adopted: true, alreadyThere: false } };
      }
      const seen = found.other;
      return { done: false, note: seen === undefined ? 'no update is listed yet' : `${sayUpdate(seen)} is ${seen.status}` };
    },
  );
  return end.kind === 'done' ? { ...end.value, timedOut: false } : { adopted: false, alreadyThere: false, timedOut: true };
}

/** Somebody has moved the control plane elsewhere: whoever still did what was asked for would take it back, or down two minors. */
function refuseThird({ cluster: ref, from, to }: Input, version: string): void {
  if (from === undefined || version === from || version === to) return;
  throw failureOf(
    'InvalidRequest',
    `waiting for somebody to update cluster ${ref.name} to ${to}: it is at ${version}, not at ${from}. Do not apply ${to}; abort and plan again from there`,
  );
}
