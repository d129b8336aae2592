/** `belay pause`, `resume` and `abort`. */
import type { Command } from 'commander';
import { notRunning } from '../../client/calls/messages.ts';
import { UpgradesError } from '../../client/upgrades-client.ts';
import { defined } from '../../domain/core/defined.ts';
import { abortQuestion } from '../render/questions.ts';
import { confirmFirst } from '../shared/confirm.ts';
import { steerCommand } from './steer.ts';

const DOES = {
  pause: 'start no further step until the upgrade is resumed; the running step finishes',
  resume: 'continue after a pause',
  abort: 'stop before the next step and undo temporary changes; versions already changed stay',
} as const;

export function controlCommand(kind: keyof typeof DOES): Command {
  const does = DOES[kind];
  if (kind !== 'abort') return steerCommand(kind, { does, asks: false }, (upgrades, request) => upgrades[kind](request));
  return steerCommand(kind, { does, asks: true }, async (upgrades, request, options) => {
    const { cluster } = request;
    // Of the run that was shown.
    let run: string | undefined;
    await confirmFirst(options, async () => {
      if ((await upgrades.newestRun(cluster))?.isOpen !== true)
        throw new UpgradesError('not-running', notRunning(cluster, 'nothing to abort'));
      const answer = await upgrades.status(cluster);
      run = answer.status.runId;
      return abortQuestion(cluster, answer);
    });
    return await upgrades.abort({ ...request, ...defined({ run }) });
  });
}
