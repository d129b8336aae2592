/** `belay retry` and `skip`: the choice of that name where a step has failed. */
import type { Command } from 'commander';
import { failedGateIn } from '../../client/reading/open-gate.ts';
import { skipQuestion } from '../render/questions.ts';
import { confirmFirst } from '../shared/confirm.ts';
import { steerCommand } from './steer.ts';

const DOES = {
  retry: 'run the failed step again, from its beginning',
  skip: 'continue without the failed step; needs --reason',
} as const;

export function failedCommand(choice: keyof typeof DOES): Command {
  return steerCommand(choice, { does: DOES[choice], asks: choice === 'skip' }, async (upgrades, request, options) => {
    const { cluster, reason } = request;
    const answer = await upgrades.status(cluster);
    const gate = failedGateIn(answer, choice);
    if (choice === 'skip') await confirmFirst(options, () => skipQuestion(cluster, answer, gate, reason));
    return await upgrades.decide({ ...request, ...gate, choice });
  });
}
