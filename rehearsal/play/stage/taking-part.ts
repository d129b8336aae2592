/** How a cluster's world takes part in a play: Belay's rights in its account, and its people, who read the channel. */
import { awsRights, partOf, type Roles } from '../../world/core/rights.ts';
import type { OwnerAsk } from '../../controllers/owner-ask.ts';
import { mendBefore } from './mending.ts';
import { isOf } from './names.ts';
import type { Message } from '../../neighbours/slack/methods/messages.ts';
import type { SlackStandIn } from '../../neighbours/slack/server.ts';
import type { BuiltWorld } from '../../world/build.ts';
import type { World } from '../../world/world.ts';

/** For the AWS stand-in: what the policies of deploy/ do not allow whoever signs. `rolesOf`: as belay.yaml names them for the cluster. */
export function rightsOf(rolesOf: (world: World) => Roles): (action: string, accessKeyId: string, world: World) => boolean {
  const beyond = { all: awsRights(), read: awsRights('read'), write: awsRights('write'), none: () => true };
  return (action, accessKeyId, world) => {
    const part = partOf(accessKeyId, rolesOf(world), world.eks.assumed);
    return part !== undefined && beyond[part](action);
  };
}

/** People do what messages about their cluster ask them for, and mend what they press a button for. Returns the removal. */
export function takePart(slack: Pick<SlackStandIn, 'onMessage' | 'onClick'>, built: BuiltWorld): () => void {
  const { cluster, mends = [] } = built.scenario;
  const unwatch = slack.onMessage((message) => {
    const ask = askIn(message);
    if (ask !== undefined && isOf(cluster, ask.upgrade)) built.owners.handle(ask);
  });
  const stopMending = mendBefore(slack, built, mends);
  return () => {
    unwatch();
    stopMending();
  };
}

/** What a message asks somebody to change, by its metadata; `upgrade`: id of the run that asks. */
function askIn({ metadata }: Pick<Message, 'metadata'>): (OwnerAsk & { upgrade: string }) | undefined {
  const payload = metadata?.event_payload ?? {};
  const keys = ['ask_component', 'ask_name', 'ask_version', 'ask_managed_by', 'upgrade'];
  const [component, name, version, managedBy, upgrade] = keys.map((key) => payload[key]);
  if (typeof component !== 'string' || typeof name !== 'string' || typeof version !== 'string' || typeof managedBy !== 'string')
    return undefined;
  return { component, name, version, managedBy, upgrade: String(upgrade) };
}
