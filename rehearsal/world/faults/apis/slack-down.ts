/** Slack as a whole goes away, or closes its sockets. */
import type { SlackStandIn } from '../../../neighbours/slack/server.ts';
import type { World } from '../../world.ts';

export function followSlackFaults(world: World, slack: Pick<SlackStandIn, 'setDown' | 'recycle'>): void {
  world.faults.onBegin(({ name, lastsMs = 0 }) => {
    if (name === 'slack:recycle') slack.recycle();
    if (name !== 'slack:down') return;
    slack.setDown(true);
    setTimeout(() => slack.setDown(false), world.clock.wallMs(lastsMs)).unref();
  });
}
