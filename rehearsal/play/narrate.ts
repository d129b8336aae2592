/** Tells as it goes what the channel shows, what the stand-ins accept and what the world does. */
import type { Progress } from './progress.ts';
import { gateButtons } from '../neighbours/slack/gate-buttons.ts';
import { plainText } from '../neighbours/slack/block-kit/plain-text.ts';
import type { Stage } from './stage/stage.ts';

export function narrate(stage: Stage, progress: Progress): void {
  const { slack, built } = stage;
  const { workspace } = slack;
  built.world.journal.onMutation((mutation) => progress.mutation(mutation));
  slack.onMessage((message) => {
    const attached = (message.files ?? []).map(({ name }) => `attached ${String(name)}`);
    const line = `  slack      ${[plainText(message.text, workspace), ...attached].filter((part) => part !== '').join(', ')}`;
    if (gateButtons(message).length > 0) progress.call(line);
    else progress.line(line);
  });
  slack.onClick(({ user, actionId }) => progress.line(`  press      ${plainText(`<@${user}>`, workspace)}: ${actionId}`));
  followWorld(stage, progress);
}

/** Until progress is closed. */
export function followWorld({ built: { world } }: Stage, progress: Progress): void {
  progress.follow(() => world.journal.events, world.clock.nowMs() - world.clock.elapsedMs());
}
