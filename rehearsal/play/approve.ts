/** `--auto approve`: Alex types the command, a named persona presses the buttons; nothing here talks to Temporal but to look. */
import { newestRecord } from './conclude.ts';
import { startByCommand } from './drive.ts';
import { beginning, end } from './ending.ts';
import { wentBack } from '../world/faults/stale-apply.ts';
import { rollbackCommand, startCommand, undoCommand, upgradeId } from './stage/names.ts';
import type { RehearsalResult } from './options.ts';
import type { Play } from './play.ts';
import { startPersona } from '../neighbours/slack/persona.ts';

const REQUESTER = 'U0ALEX';
/** Of the approvers' group: presses the buttons when nobody else does. */
const PERSONA = 'U0SAM';
/** A persona thinks this long, in world time, and not under a quarter of a second. */
const THINK_WORLD_MS = 30_000;
const THINK_AT_LEAST_MS = 250;

/** Belay has answered, and does not begin: the plan is refused, for one. */
export class NotStarted extends Error {
  override name = 'NotStarted';
}

export async function approve(play: Play): Promise<RehearsalResult> {
  const { options, scenario, stage } = play;
  const startedAt = beginning(play);
  const since = new Date();
  const persona = startPersona({
    slack: stage.slack,
    user: PERSONA,
    mode: 'approve',
    thinkMs: Math.max(THINK_AT_LEAST_MS, THINK_WORLD_MS / options.speed),
    decide: options.decide ?? ((gate) => decide(gate, play)),
  });
  try {
    await run(play, startCommand(scenario), since);
    const cameUp = newestRecord(play.recordsDirectory, upgradeId(scenario.cluster))?.outcome === 'completed';
    if (scenario.goesBack === true && cameUp) await run(play, rollbackCommand(scenario), new Date());
    for (const step of scenario.undoes ?? []) await run(play, undoCommand(scenario, step), new Date());
    return await end(play, since, startedAt);
  } finally {
    persona.close();
  }
}

/** undefined: as usual. No retry brings back up what somebody else has taken down. */
function decide(gate: string, { scenario, stage }: Play): string | undefined {
  if (gate === scenario.declines) return 'reject';
  return gate.startsWith('failed:') && wentBack(stage.built.world) ? 'abort' : undefined;
}

/** From the command to the run's end. */
async function run({ scenario, stage, watcher, signal, progress }: Play, command: string, since: Date): Promise<void> {
  const workflowId = upgradeId(scenario.cluster);
  const { started, answers } = await startByCommand({
    slack: stage.slack,
    watcher,
    command,
    requester: REQUESTER,
    workflowId,
    since,
    signal,
    say: (line) => progress.line(line),
  });
  if (started === undefined) throw new NotStarted(`${command} did not start. Slack said: ${answers.join(' ') || 'nothing'}`);
  await watcher.untilClosed(workflowId, since, signal);
}
