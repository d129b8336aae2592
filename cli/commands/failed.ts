/** `belay retry` and `skip`: the choice of that name where a step has failed. */
import type { Command } from 'commander';
import { failedGateIn } from '../../client/reading/open-gate.ts';
import { steerCommand } from './steer.ts';

const DOES = {
  retry: 'run the failed step again, from its beginning',
  skip: 'continue without the failed step; needs --reason',
} as const;

export function failedCommand(choice: keyof typeof DOES): Command {
  return steerCommand(choice, DOES[choice], async (upgrades, request) => {
    const gate = failedGateIn(await upgrades.status(request.cluster), choice);
    return await upgrades.decide({ ...request, ...gate, choice });
  });
}
