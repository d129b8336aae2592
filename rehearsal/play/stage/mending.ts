/** What people do on the cluster before they press a button: the operator of a scenario finds the cause, and mends it. */
import { isOf } from './names.ts';
import { parseButton } from '../../neighbours/slack/gate-buttons.ts';
import type { SlackStandIn } from '../../neighbours/slack/server.ts';
import type { BuiltWorld } from '../../world/build.ts';
import type { Mend } from '../../scenarios/scenario.ts';

/** Each is done once, before Belay hears of the press. Returns the removal. */
export function mendBefore(
  slack: Pick<SlackStandIn, 'onClick'>,
  { world, change, scenario }: Pick<BuiltWorld, 'world' | 'change' | 'scenario'>,
  mends: readonly Mend[],
): () => void {
  const open = new Set(mends);
  return slack.onClick(({ value }) => {
    const press = parseButton(value);
    for (const mend of open) {
      if (press?.gateId !== mend.gate || press.choice !== mend.choice || !isOf(scenario.cluster, press.workflowId)) continue;
      open.delete(mend);
      change(mend.act);
      world.journal.tell(mend.does);
    }
  });
}
